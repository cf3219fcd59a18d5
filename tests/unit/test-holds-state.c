/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "service/holds-state.h"

#define BUS "0123456789abcdef0123456789abcdef"

static struct hold full(uint32_t cookie)
{
	struct hold hold = {
		.cookie = cookie,
		.uid = UINT32_MAX - 1,
		.mode = DONOR_MODE_PERFORMANCE,
		.soft = true,
		.since_us = 1ULL << 60,
		.timeout_us = 2,
		.ends_us = 3,
		.of_process = true,
		.process = { 1 << 22, 0200, UINT64_MAX },
		.owner = ":1.42",
	};

	sender_text_copy(hold.reason, "on the \"train\"");
	sender_text_copy(hold.application, "\xc3\xa4");
	return hold;
}

static struct state_file *stored(const struct holds *holds)
{
	struct state_file *file = NULL;

	assert_int_equal(state_open(&file, NULL), 0);
	assert_int_equal(state_set_text(file, "override.mode", "power"), 0);
	assert_int_equal(holds_store(holds, BUS, file), 0);
	return file;
}

/* Of `nr` holds with the cookies 1, 2 and so on. */
static struct state_file *stored_full(unsigned nr)
{
	struct holds holds = {};
	struct state_file *file;

	for (unsigned i = 1; i <= nr; i++) {
		struct hold hold = full(i), *taken;

		assert_int_equal(holds_take(&holds, &hold, &taken), 0);
	}
	file = stored(&holds);
	holds_done(&holds);
	return file;
}

static void assert_same(const struct hold *hold, const struct hold *expected)
{
	assert_int_equal(hold->cookie, expected->cookie);
	assert_int_equal(hold->uid, expected->uid);
	assert_int_equal(hold->mode, expected->mode);
	assert_int_equal(hold->soft, expected->soft);
	assert_int_equal(hold->since_us, expected->since_us);
	assert_int_equal(hold->timeout_us, expected->timeout_us);
	assert_int_equal(hold->ends_us, expected->ends_us);
	assert_int_equal(hold->of_process, expected->of_process);
	assert_int_equal(hold->process.pid, expected->process.pid);
	assert_int_equal(hold->process.flags, expected->process.flags);
	assert_int_equal(hold->process.inode, expected->process.inode);
	assert_string_equal(hold->reason, expected->reason);
	assert_string_equal(hold->application, expected->application);
	assert_string_equal(hold->owner, expected->owner);
	assert_null(hold->watch);
}

static void all_of_a_hold_comes_back_in_order(void **state)
{
	struct state_file *file = stored_full(3);
	struct holds holds = {};

	assert_int_equal(holds_restore(&holds, BUS, file), 0);
	assert_int_equal(holds.nr, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct hold expected = full(i + 1);

		assert_same(holds.list[i], &expected);
	}
	holds_done(&holds);
	state_free(file);
}

static void what_is_over_leaves_nothing_in_the_file(void **state)
{
	struct state_file *file = stored_full(3);
	struct holds holds = {};
	char text[16];

	assert_int_equal(holds_store(&holds, BUS, file), 0);
	assert_false(state_get_text(file, "holds.2.mode", text, sizeof(text)));
	assert_true(state_get_text(file, "override.mode", text, sizeof(text)));
	assert_int_equal(holds_restore(&holds, BUS, file), 0);
	assert_int_equal(holds.nr, 0);
	state_free(file);
}

static void names_mean_nothing_on_another_bus(void **state)
{
	static const char *const others[] = { "0123456789abcdef0123456789abcdee", "" };
	struct state_file *file = stored_full(1);

	for (unsigned i = 0; i < 2; i++) {
		struct holds holds = {};

		assert_int_equal(holds_restore(&holds, others[i], file), 0);
		assert_int_equal(holds.nr, 1);
		assert_string_equal(holds.list[0]->owner, "");
		assert_int_equal(holds.list[0]->cookie, 1);
		holds_done(&holds);
	}
	/* Nor if it was not known which one it was. */
	state_set_text(file, "holds.bus", "");
	for (unsigned i = 0; i < 2; i++) {
		struct holds holds = {};

		assert_int_equal(holds_restore(&holds, others[i], file), 0);
		assert_string_equal(holds.list[0]->owner, "");
		holds_done(&holds);
	}
	state_free(file);
}

static void one_without_sense_takes_all_along(void **state)
{
	static const struct {
		const char *key, *text; /* NULL: the number */
		uint64_t number;
	} damages[] = {
		{ "holds.1.cookie", NULL, 0 },
		{ "holds.1.cookie", NULL, 1 },
		{ "holds.1.cookie", NULL, 1ULL << 32 },
		{ "holds.1.uid", NULL, 1ULL << 32 },
		{ "holds.1.soft", NULL, 2 },
		{ "holds.1.of-process", NULL, 2 },
		{ "holds.1.pid", NULL, 1ULL << 31 },
		{ "holds.1.ends", "soon" },
		{ "holds.1.mode", "turbo" },
		{ "holds.1.reason", "\033[2J" },
		{ "holds.1.application", "\n" },
		{ "holds.1.owner", NULL, 7 },
		{ "holds.count", NULL, 3 },
		{ "holds.count", NULL, 4097 },
	};

	for (unsigned i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct state_file *file = stored_full(2);
		struct holds holds = {};

		if (damages[i].text)
			state_set_text(file, damages[i].key, damages[i].text);
		else
			state_set_number(file, damages[i].key, damages[i].number);
		assert_int_equal(holds_restore(&holds, BUS, file), -EBADMSG);
		assert_int_equal(holds.nr, 0);
		assert_null(holds.list);
		state_free(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_hold_comes_back_in_order),
		cmocka_unit_test(what_is_over_leaves_nothing_in_the_file),
		cmocka_unit_test(names_mean_nothing_on_another_bus),
		cmocka_unit_test(one_without_sense_takes_all_along),
	};

	return cmocka_run_group_tests_name("holds-state", tests, NULL, NULL);
}
