/* SPDX-License-Identifier: GPL-2.0-only */

/* When the service attaches again: each table is one story, told exit by exit. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/retry.h"

#define SECOND UINT64_C(1000000)

enum { FINAL = -1 };

struct row {
	unsigned after_s; /* since the exit before */
	enum exit_cause cause;
	unsigned attached_s;
	int delay_s;
};

static const struct attach_config rules = {
	.min_us = 1 * SECOND,
	.max_us = 5 * SECOND,
	.limit = 5,
	.window_us = 600 * SECOND,
	.stable_us = 60 * SECOND,
};

static void tell(const struct attach_config *config, const struct row *rows, unsigned nr)
{
	struct retry retry = {};
	uint64_t now_us = 1000 * SECOND;

	for (unsigned i = 0; i < nr; i++) {
		struct retry_verdict verdict;

		now_us += rows[i].after_s * SECOND;
		verdict = retry_after(&retry, config, rows[i].cause, now_us,
				      rows[i].attached_s * SECOND);
		if (verdict.again != (rows[i].delay_s != FINAL))
			fail_msg("row %u: again %d", i, verdict.again);
		if (verdict.again && verdict.delay_us != rows[i].delay_s * SECOND)
			fail_msg("row %u: %llu us", i, (unsigned long long)verdict.delay_us);
	}
}

#define TELL(config, rows) tell(config, rows, sizeof(rows) / sizeof((rows)[0]))

static void the_pause_doubles_to_its_maximum_and_the_limit_is_final(void **state)
{
	static const struct row rows[] = {
		{ 0, EXIT_FAULT, 7, 1 },  { 8, EXIT_FAULT, 7, 2 },	{ 9, EXIT_FAULT, 7, 4 },
		{ 11, EXIT_FAULT, 7, 5 }, { 12, EXIT_FAULT, 7, FINAL }, { 1, EXIT_FAULT, 0, FINAL },
	};

	TELL(&rules, rows);
}

static void what_ran_long_enough_is_forgiven(void **state)
{
	static const struct row rows[] = {
		{ 0, EXIT_FAULT, 0, 1 },   { 1, EXIT_FAULT, 59, 2 },  { 60, EXIT_FAULT, 60, 1 },
		{ 60, EXIT_FAULT, 59, 2 }, { 9, EXIT_FAULT, 999, 1 },
	};

	TELL(&rules, rows);
}

static void what_left_the_window_counts_no_more(void **state)
{
	static const struct row rows[] = {
		{ 0, EXIT_FAULT, 0, 1 },   { 300, EXIT_FAULT, 0, 2 },
		{ 300, EXIT_FAULT, 0, 4 }, /* the first is at the edge of the window */
		{ 1, EXIT_FAULT, 0, 4 },	 /* and now beyond it */
		{ 601, EXIT_FAULT, 0, 1 },
	};

	TELL(&rules, rows);
}

static void a_restart_is_immediate_and_never_final(void **state)
{
	static const struct row rows[] = {
		{ 0, EXIT_RESTART, 1, 0 },   { 1, EXIT_RESTART, 1, 1 },	 { 1, EXIT_RESTART, 1, 2 },
		{ 1, EXIT_RESTART, 1, 4 },   { 1, EXIT_RESTART, 1, 5 },	 { 1, EXIT_RESTART, 1, 5 },
		{ 1, EXIT_RESTART, 1, 5 },   { 1, EXIT_RESTART, 60, 0 }, { 1, EXIT_RESTART, 1, 1 },
		{ 601, EXIT_RESTART, 1, 0 },
	};

	TELL(&rules, rows);
}

static void restarts_and_faults_count_apart(void **state)
{
	static const struct row rows[] = {
		{ 0, EXIT_RESTART, 1, 0 }, { 1, EXIT_FAULT, 1, 1 },   { 1, EXIT_RESTART, 1, 1 },
		{ 1, EXIT_FAULT, 1, 2 },   { 1, EXIT_FAULT, 1, 4 },   { 1, EXIT_RESTART, 1, 2 },
		{ 1, EXIT_FAULT, 1, 5 },   { 1, EXIT_RESTART, 1, 4 }, { 1, EXIT_FAULT, 1, FINAL },
		{ 1, EXIT_RESTART, 1, 5 },
	};

	TELL(&rules, rows);
}

static void an_order_is_final_and_ends_the_story(void **state)
{
	static const struct row rows[] = {
		{ 0, EXIT_FAULT, 0, 1 },
		{ 1, EXIT_FAULT, 0, 2 },
		{ 1, EXIT_ORDER, 0, FINAL },
		{ 1, EXIT_FAULT, 0, 1 },
	};

	TELL(&rules, rows);
}

static void odd_settings_are_no_trap(void **state)
{
	static const struct row once[] = { { 0, EXIT_FAULT, 0, FINAL } };
	static const struct row three_hundred[] = { { 0, EXIT_FAULT, 0, 300 } };
	struct attach_config odd = rules;
	struct retry retry = {};
	unsigned n = 1;

	odd.limit = 0;
	TELL(&odd, once);
	odd.limit = 1;
	TELL(&odd, once);
	odd.limit = 5;
	odd.min_us = 1000 * SECOND; /* more than the maximum */
	odd.max_us = 300 * SECOND;
	TELL(&odd, three_hundred);
	odd.limit = 1000000;
	while (n < 1000 && retry_after(&retry, &odd, EXIT_FAULT, 1, 0).again)
		n++;
	assert_int_equal(n, RETRY_MAX_FAULTS);
}

static void a_person_makes_a_new_start(void **state)
{
	struct retry retry = {};

	for (unsigned i = 0; i < 5; i++)
		(void)retry_after(&retry, &rules, EXIT_FAULT, 1, 0);
	retry_forgive(&retry);
	assert_true(retry_after(&retry, &rules, EXIT_FAULT, 1, 0).delay_us == SECOND);
	assert_true(retry_after(&retry, &rules, EXIT_RESTART, 1, 0).delay_us == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pause_doubles_to_its_maximum_and_the_limit_is_final),
		cmocka_unit_test(what_ran_long_enough_is_forgiven),
		cmocka_unit_test(what_left_the_window_counts_no_more),
		cmocka_unit_test(a_restart_is_immediate_and_never_final),
		cmocka_unit_test(restarts_and_faults_count_apart),
		cmocka_unit_test(an_order_is_final_and_ends_the_story),
		cmocka_unit_test(odd_settings_are_no_trap),
		cmocka_unit_test(a_person_makes_a_new_start),
	};

	return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
