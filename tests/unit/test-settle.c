/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/settle.h"

#define MS UINT64_C(1000)
#define START (1000 * MS) /* no clock shows 0 */

#define POW DONOR_MODE_POWER
#define BAL DONOR_MODE_BALANCED
#define PERF DONOR_MODE_PERFORMANCE

/* At this time this mode is asked for. What comes of it? Times in ms from the start. */
struct step {
	unsigned at;
	enum donor_mode asked;
	bool apply;
	unsigned again; /* 0: not by itself */
	bool flaps;
	enum donor_mode applied;
};

static void play(const struct step steps[], size_t nr_steps)
{
	struct settle settle = { .settle_us = 500 * MS, .applied = BAL };

	for (size_t i = 0; i < nr_steps; i++) {
		const struct step *step = &steps[i];
		const uint64_t again = step->again ? START + step->again * MS : 0;
		struct settle_answer answer =
			settle_ask(&settle, step->asked, START + step->at * MS);

		print_message("# step %zu, at %u ms\n", i, step->at);
		assert_int_equal(answer.apply, step->apply);
		assert_int_equal(answer.again_us, again);
		assert_int_equal(answer.flaps, step->flaps);
		assert_int_equal(settle.applied, step->applied);
	}
}

#define PLAY(steps) play(steps, sizeof(steps) / sizeof((steps)[0]))

static void a_change_settles_first(void **state)
{
	static const struct step steps[] = {
		{ 0, BAL, true, 0, false, BAL },       { 10, PERF, false, 510, false, BAL },
		{ 509, PERF, false, 510, false, BAL }, { 510, PERF, true, 0, false, PERF },
		{ 600, PERF, true, 0, false, PERF },
	};

	PLAY(steps);
}

static void the_latest_wins_and_does_not_wait_longer_for_it(void **state)
{
	static const struct step steps[] = {
		{ 0, PERF, false, 500, false, BAL },
		{ 400, POW, false, 500, false, BAL },
		{ 500, POW, true, 0, false, POW },
	};

	PLAY(steps);
}

static void what_comes_and_goes_meanwhile_is_no_change(void **state)
{
	static const struct step steps[] = {
		{ 0, PERF, false, 500, false, BAL },
		{ 400, BAL, true, 0, false, BAL },
		{ 450, PERF, false, 950, false, BAL }, /* settles from here */
		{ 950, PERF, true, 0, false, PERF },
	};

	PLAY(steps);
}

static void the_next_change_comes_three_seconds_later(void **state)
{
	static const struct step steps[] = {
		{ 0, PERF, false, 500, false, BAL },	{ 500, PERF, true, 0, false, PERF },
		{ 600, POW, false, 3500, false, PERF }, { 3499, BAL, false, 3500, false, PERF },
		{ 3500, BAL, true, 0, false, BAL },	{ 9000, POW, false, 9500, false, BAL },
		{ 9500, POW, true, 0, false, POW },
	};

	PLAY(steps);
}

/* There and back, six changes at the fastest; leaves off in balanced, at 15.5 s. */
#define SIX_CHANGES                                                                                \
	{ 0, PERF, false, 500, false, BAL }, { 500, PERF, true, 0, false, PERF },                  \
		{ 500, BAL, false, 3500, false, PERF }, { 3500, BAL, true, 0, false, BAL },        \
		{ 3500, PERF, false, 6500, false, BAL }, { 6500, PERF, true, 0, false, PERF },     \
		{ 6500, BAL, false, 9500, false, PERF }, { 9500, BAL, true, 0, false, BAL },       \
		{ 9500, PERF, false, 12500, false, BAL }, { 12500, PERF, true, 0, false, PERF },   \
		{ 12500, BAL, false, 15500, false, PERF },                                         \
	{                                                                                          \
		15500, BAL, true, 0, false, BAL                                                    \
	}

static void the_seventh_change_within_a_minute_is_held_back(void **state)
{
	static const struct step steps[] = {
		SIX_CHANGES,
		{ 15500, PERF, false, 18500, false, BAL },
		{ 18500, PERF, false, 78500, true, BAL }, /* told, once */
		{ 20000, PERF, false, 78500, false, BAL },
		{ 20100, BAL, true, 0, false, BAL },
		{ 70000, PERF, false, 78500, false, BAL },
		{ 78500, PERF, true, 0, false, PERF },
		{ 78600, BAL, false, 81500, false, PERF }, /* counted from the start */
		{ 81500, BAL, true, 0, false, BAL },
	};

	PLAY(steps);
}

static void of_two_modes_the_one_for_less_power_is_held(void **state)
{
	static const struct step steps[] = {
		SIX_CHANGES,
		{ 16000, POW, false, 18500, false, BAL },
		{ 18500, POW, true, 0, true, POW },
		{ 19000, BAL, false, 78500, false, POW },
		{ 19100, PERF, false, 78500, false, POW },
		{ 78500, PERF, true, 0, false, PERF },
	};

	PLAY(steps);
}

/* An empty battery must not wait for somebody else's flapping. */
static void less_power_may_be_asked_for_while_held(void **state)
{
	static const struct step steps[] = {
		SIX_CHANGES,
		{ 15500, PERF, false, 18500, false, BAL },
		{ 18500, PERF, false, 78500, true, BAL },
		{ 30000, POW, true, 0, false,
		  POW }, /* another mode has been asked for long enough */
		{ 31000, PERF, false, 78500, false, POW },
	};

	PLAY(steps);
}

static void six_changes_in_more_than_a_minute_are_let_pass(void **state)
{
	static const struct step steps[] = {
		SIX_CHANGES,
		{ 60499, PERF, false, 60999, false, BAL },
		{ 60999, PERF, true, 0, false, PERF }, /* the first was at 500 */
	};

	PLAY(steps);
}

static void what_a_person_decides_forgets_the_past(void **state)
{
	struct settle settle = { .settle_us = 500 * MS, .applied = BAL };
	struct settle_answer answer;

	(void)settle_ask(&settle, PERF, START);
	answer = settle_ask(&settle, PERF, START + 500 * MS);
	assert_true(answer.apply);
	settle_reset(&settle, POW);
	answer = settle_ask(&settle, POW, START + 600 * MS);
	assert_true(answer.apply);
	answer = settle_ask(&settle, BAL, START + 600 * MS);
	assert_int_equal(answer.again_us, START + 1100 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_settles_first),
		cmocka_unit_test(the_latest_wins_and_does_not_wait_longer_for_it),
		cmocka_unit_test(what_comes_and_goes_meanwhile_is_no_change),
		cmocka_unit_test(the_next_change_comes_three_seconds_later),
		cmocka_unit_test(the_seventh_change_within_a_minute_is_held_back),
		cmocka_unit_test(of_two_modes_the_one_for_less_power_is_held),
		cmocka_unit_test(less_power_may_be_asked_for_while_held),
		cmocka_unit_test(six_changes_in_more_than_a_minute_are_let_pass),
		cmocka_unit_test(what_a_person_decides_forgets_the_past),
	};

	return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
