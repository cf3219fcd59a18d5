/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/override.h"

static const struct override whole = {
	.present = true,
	.mode = DONOR_MODE_PERFORMANCE,
	.until = UNTIL_POWER_SOURCE_CHANGE,
	.since_us = 1000,
	.ends_us = 5000,
	.uid = 4294967294,
	.persist = true,
	.reason = "a build",
};

static void events_end_what_lasts_until_them_and_nothing_else(void **state)
{
	for (enum override_until until = 0; until < _UNTIL_MAX; until++)
		for (enum override_until event = 0; event < _UNTIL_MAX; event++) {
			struct override override = { .present = true, .until = until };

			assert_int_equal(override_ends_by(&override, event),
					 until == event && event != UNTIL_RELEASED);
			override.present = false;
			assert_false(override_ends_by(&override, event));
		}
}

static void words_are_those_of_the_interface(void **state)
{
	static const char *const words[] = { "released", "profile-change", "power-source-change",
					     "reboot" };
	enum override_until until = _UNTIL_MAX;

	for (unsigned i = 0; i < _UNTIL_MAX; i++) {
		assert_string_equal(until_to_string(i), words[i]);
		assert_int_equal(until_from_string(words[i], &until), 0);
		assert_int_equal(until, i);
	}
	assert_int_equal(until_from_string("Reboot", &until), -ENOENT);
	assert_int_equal(until_from_string("", &until), -ENOENT);
	assert_int_equal(until, UNTIL_REBOOT);
}

static void the_candidate_says_who_and_why(void **state)
{
	struct override override = whole;
	struct mode_candidate candidate = override_candidate(&override);

	assert_true(candidate.present);
	assert_int_equal(candidate.mode, DONOR_MODE_PERFORMANCE);
	assert_string_equal(candidate.reason, "chosen by uid 4294967294: a build");
	override.reason[0] = '\0';
	candidate = override_candidate(&override);
	assert_string_equal(candidate.reason, "chosen by uid 4294967294");
	override.present = false;
	assert_false(override_candidate(&override).present);
}

static void what_was_stored_comes_back(void **state)
{
	_cleanup_(state_freep) struct state_file *file = NULL;
	struct override none = {}, back;

	assert_int_equal(state_open(&file, NULL), 0);
	assert_false(override_restore(file, 0).present);
	assert_int_equal(override_store(&whole, file), 0);
	back = override_restore(file, 4999);
	assert_memory_equal(&back, &whole, sizeof(back));
	assert_int_equal(override_store(&none, file), 0);
	assert_false(override_restore(file, 0).present);
}

static void one_whose_time_is_over_does_not(void **state)
{
	_cleanup_(state_freep) struct state_file *file = NULL;
	struct override override = whole;

	assert_int_equal(state_open(&file, NULL), 0);
	assert_int_equal(override_store(&override, file), 0);
	assert_true(override_restore(file, 4999).present);
	assert_false(override_restore(file, 5000).present);
	override.ends_us = 0;
	assert_int_equal(override_store(&override, file), 0);
	assert_true(override_restore(file, UINT64_MAX).present);
}

static void one_that_is_damaged_does_not_either(void **state)
{
	static const struct {
		const char *key, *text; /* NULL: a number */
		uint64_t number;
	} damages[] = {
		{ "override.mode", "turbo", 0 },
		{ "override.mode", NULL, 1 },
		{ "override.until", "tomorrow", 0 },
		{ "override.reason", "\x1b[2J", 0 },
		{ "override.reason", NULL, 1 },
		{ "override.uid", "root", 0 },
		{ "override.uid", NULL, UINT64_C(1) << 32 },
		{ "override.persist", "yes", 0 },
		{ "override.since_usec", "", 0 },
		{ "override.ends_usec", "never", 0 },
	};

	for (unsigned i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		_cleanup_(state_freep) struct state_file *file = NULL;

		assert_int_equal(state_open(&file, NULL), 0);
		assert_int_equal(override_store(&whole, file), 0);
		if (damages[i].text)
			state_set_text(file, damages[i].key, damages[i].text);
		else
			state_set_number(file, damages[i].key, damages[i].number);
		assert_false(override_restore(file, 0).present);
		assert_int_equal(override_store(&whole, file), 0);
		state_remove(file, damages[i].key);
		assert_false(override_restore(file, 0).present);
	}
}

static void texts_of_senders_are_short_and_plain(void **state)
{
	char text[SENDER_TEXT_MOST + 2], copy[SENDER_TEXT_BYTES], zeroes[SENDER_TEXT_BYTES] = {};

	assert_int_equal(sender_text_check(""), 0);
	assert_int_equal(sender_text_check("Spiel \xc3\xa4\xc2\xa0\xe2\x82\xac \xf0\x9f\x8e\xae ~"),
			 0);
	assert_int_equal(sender_text_check("a\nb"), -EINVAL);
	assert_int_equal(sender_text_check("\t"), -EINVAL);
	assert_int_equal(sender_text_check("a\x7f"), -EINVAL);
	assert_int_equal(sender_text_check("\x1b[31m"), -EINVAL);
	assert_int_equal(sender_text_check("\xc2\23331m"), -EINVAL); /* the same in one letter */
	assert_int_equal(sender_text_check("\xc2\x80"), -EINVAL);
	memset(text, 'x', sizeof(text));
	text[SENDER_TEXT_MOST] = '\0';
	assert_int_equal(sender_text_check(text), 0);
	memset(copy, 'o', sizeof(copy));
	sender_text_copy(copy, text);
	assert_string_equal(copy, text);
	sender_text_copy(copy, "short");
	assert_memory_equal(copy + 5, zeroes, sizeof(copy) - 5);
	text[SENDER_TEXT_MOST] = 'x';
	text[SENDER_TEXT_MOST + 1] = '\0';
	assert_int_equal(sender_text_check(text), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_end_what_lasts_until_them_and_nothing_else),
		cmocka_unit_test(words_are_those_of_the_interface),
		cmocka_unit_test(the_candidate_says_who_and_why),
		cmocka_unit_test(what_was_stored_comes_back),
		cmocka_unit_test(one_whose_time_is_over_does_not),
		cmocka_unit_test(one_that_is_damaged_does_not_either),
		cmocka_unit_test(texts_of_senders_are_short_and_plain),
	};

	return cmocka_run_group_tests_name("override", tests, NULL, NULL);
}
