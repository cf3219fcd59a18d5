/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <cmocka.h>

#include "service/holds.h"

enum { PER_UID = 3, TOTAL = 5 };

/* What the kernel's dice give, one after the other; when used up, the real ones. */
static const uint32_t *dice;
static unsigned nr_dice;

ssize_t __real_getrandom(void *buf, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *buf, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *buf, size_t size, unsigned flags)
{
	if (nr_dice == 0)
		return __real_getrandom(buf, size, flags);
	assert_int_equal(size, sizeof(*dice));
	memcpy(buf, dice++, size);
	nr_dice--;
	return size;
}

static struct hold *add(struct holds *holds, uint32_t uid, enum donor_mode mode, bool soft,
			const char *application)
{
	struct hold request = { .uid = uid, .mode = mode, .soft = soft }, *hold = NULL;

	sender_text_copy(request.application, application);
	sender_text_copy(request.reason, "because");
	if (holds_add(holds, &request, PER_UID, TOTAL, &hold) < 0)
		return NULL;
	return hold;
}

static void cookies_are_random_and_never_0_nor_twice(void **state)
{
	static const uint32_t rolled[] = { 7, 0, 7, 9 };
	struct holds holds = {};
	uint32_t cookies[3];

	dice = rolled;
	nr_dice = 4;
	assert_int_equal(add(&holds, 1, DONOR_MODE_POWER, false, "")->cookie, 7);
	assert_int_equal(add(&holds, 1, DONOR_MODE_POWER, false, "")->cookie, 9);
	assert_int_equal(nr_dice, 0);
	holds_done(&holds);

	for (unsigned i = 0; i < 3; i++)
		cookies[i] = add(&holds, 1, DONOR_MODE_POWER, false, "")->cookie;
	assert_true(cookies[0] != cookies[1] && cookies[1] != cookies[2]);
	assert_true(cookies[1] - cookies[0] != cookies[2] - cookies[1]); /* no counter */
	holds_done(&holds);
}

static void limits_are_by_user_and_for_all(void **state)
{
	struct holds holds = {};
	struct hold *first = add(&holds, 1, DONOR_MODE_POWER, false, ""), *none = NULL;
	const struct hold request = { .uid = 1 };

	add(&holds, 1, DONOR_MODE_POWER, true, "");
	add(&holds, 1, DONOR_MODE_POWER, false, "");
	assert_int_equal(holds_add(&holds, &request, PER_UID, TOTAL, &none), -EUSERS);
	assert_null(none);
	assert_int_equal(holds.nr, PER_UID);
	assert_non_null(add(&holds, 2, DONOR_MODE_POWER, false, ""));
	assert_non_null(add(&holds, 3, DONOR_MODE_POWER, false, ""));
	assert_null(add(&holds, 4, DONOR_MODE_POWER, false, ""));
	holds_remove(&holds, first);
	assert_non_null(add(&holds, 1, DONOR_MODE_POWER, false, ""));
	assert_null(add(&holds, 4, DONOR_MODE_POWER, false, ""));
	assert_int_equal(holds.nr, TOTAL);
	holds_done(&holds);
}

static void limits_can_be_asked_of_what_is_there(void **state)
{
	static const uint32_t uids[] = { 1, 1, 2, 1, 3 };
	static const bool by_user[] = { false, false, false, true, false };
	struct holds holds = {};

	for (unsigned i = 0; i < 5; i++)
		assert_non_null(add(&holds, uids[i], DONOR_MODE_POWER, false, ""));
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(holds_exceed(&holds, i, 2, 5), by_user[i]);
		assert_int_equal(holds_exceed(&holds, i, 5, 3), i >= 3);
	}
	holds_done(&holds);
}

static void a_hold_is_found_until_it_is_removed(void **state)
{
	struct holds holds = {};
	struct hold *list[3];
	uint32_t cookies[3];

	for (unsigned i = 0; i < 3; i++) {
		list[i] = add(&holds, i, DONOR_MODE_POWER, false, "");
		cookies[i] = list[i]->cookie;
	}
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(holds_find(&holds, cookies[i]), list[i]);
	holds_remove(&holds, list[1]);
	assert_null(holds_find(&holds, cookies[1]));
	assert_ptr_equal(holds_find(&holds, cookies[0]), list[0]);
	assert_ptr_equal(holds_find(&holds, cookies[2]), list[2]);
	assert_ptr_equal(holds.list[1], list[2]); /* the order stays */
	assert_null(holds_find(&holds, 0));
	holds_done(&holds);
	assert_int_equal(holds.nr, 0);
}

/* Each kind by its own: power wins over balanced, that over performance; the oldest is named. */
static void the_lowest_mode_of_each_kind_is_the_candidate(void **state)
{
	static const struct {
		enum donor_mode mode;
		bool soft;
		const char *application;
		int hard_mode, soft_mode; /* -1: no candidate */
		const char *hard_reason, *soft_reason;
	} steps[] = {
		{ DONOR_MODE_PERFORMANCE, false, "game", 2, -1, "by game (uid 1): because", "" },
		{ DONOR_MODE_PERFORMANCE, false, "later", 2, -1, "by game (uid 1): because", "" },
		{ DONOR_MODE_POWER, true, "film", 2, 0, "by game (uid 1): because",
		  "by film (uid 1): because" },
		{ DONOR_MODE_BALANCED, false, "", 1, 0, "by uid 1: because",
		  "by film (uid 1): because" },
		{ DONOR_MODE_POWER, false, "train", 0, 0, "by train (uid 1): because",
		  "by film (uid 1): because" },
	};
	struct holds holds = {};
	struct mode_inputs inputs = {};

	holds_candidates(&holds, NULL, &inputs);
	assert_false(inputs.candidates[SOURCE_HOLD].present);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct hold request = { .uid = 1, .mode = steps[i].mode, .soft = steps[i].soft };
		const struct mode_candidate *hard = &inputs.candidates[SOURCE_HOLD],
					    *soft = &inputs.candidates[SOURCE_SOFT_HOLD];
		struct hold *hold;

		sender_text_copy(request.application, steps[i].application);
		sender_text_copy(request.reason, "because");
		assert_int_equal(holds_add(&holds, &request, 10, 10, &hold), 0);
		holds_candidates(&holds, NULL, &inputs);
		assert_int_equal(hard->present ? (int)hard->mode : -1, steps[i].hard_mode);
		assert_int_equal(soft->present ? (int)soft->mode : -1, steps[i].soft_mode);
		assert_string_equal(hard->reason, steps[i].hard_reason);
		assert_string_equal(soft->reason, steps[i].soft_reason);
	}
	holds_candidates(&holds, holds.list[4], &inputs); /* as if the last were not there */
	assert_int_equal(inputs.candidates[SOURCE_HOLD].mode, DONOR_MODE_BALANCED);
	holds_done(&holds);
}

static void ends_have_the_words_of_the_interface(void **state)
{
	static const char *const words[_HOLD_END_MAX] = { "released", "overridden", "timeout",
							  "owner-left", "process-ended" };

	for (unsigned i = 0; i < _HOLD_END_MAX; i++)
		assert_string_equal(hold_end_to_string(i), words[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cookies_are_random_and_never_0_nor_twice),
		cmocka_unit_test(limits_are_by_user_and_for_all),
		cmocka_unit_test(limits_can_be_asked_of_what_is_there),
		cmocka_unit_test(a_hold_is_found_until_it_is_removed),
		cmocka_unit_test(the_lowest_mode_of_each_kind_is_the_candidate),
		cmocka_unit_test(ends_have_the_words_of_the_interface),
	};

	return cmocka_run_group_tests_name("holds", tests, NULL, NULL);
}
