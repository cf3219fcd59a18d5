/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/sim/policies.h"
#include "tests/sim/scenario.h"

/* Who gets how much of a machine that is too small. */

#define MS 1000000ULL

static void equal_hogs(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < (unsigned)scenario->figure; i++)
		scenario_hog(sim, "hog", 0);
}

static void equals_get_the_same(void **state)
{
	static const unsigned nr_hogs[] = { 9, 10, 12, 13, 16, 20, 31, 400 };

	for (unsigned i = 0; i < sizeof(nr_hogs) / sizeof(nr_hogs[0]); i++) {
		struct scenario s = { .machine = "vm8",
				      .figure = nr_hogs[i],
				      .seed = i + 1,
				      .until_ns = 5000 * MS,
				      .start = equal_hogs };

		scenario_run(&s);
		if (s.result.jain < 0.98)
			fail_msg("%u hogs: %.4f", nr_hogs[i], s.result.jain);
	}
}

enum {
	NR_HEAVY = 8,
	NR_LIGHT = 16,
	LIGHT_NICE = 5, /* a third of the weight */
};

static void heavy_and_light(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < NR_HEAVY; i++)
		scenario_hog(sim, "heavy", 0);
	for (unsigned i = 0; i < NR_LIGHT; i++)
		sim_set_nice(sim, scenario_hog(sim, "light", 0), LIGHT_NICE);
}

static void ratio_of_service(struct sim *sim, struct scenario *scenario)
{
	scenario->figure =
		scenario_cpu_s(sim, "heavy") / NR_HEAVY / (scenario_cpu_s(sim, "light") / NR_LIGHT);
}

/* The kernel's table: nice 5 weighs 335 where nice 0 weighs 1024. */
static void weight_is_service(void **state)
{
	for (__u64 seed = 1; seed <= 3; seed++) {
		struct scenario s = { .machine = "vm8",
				      .seed = seed,
				      .until_ns = 5000 * MS,
				      .start = heavy_and_light,
				      .finish = ratio_of_service };

		scenario_run(&s);
		if (s.figure < 0.95 * 1024 / 335 || s.figure > 1.05 * 1024 / 335)
			fail_msg("ratio %.3f, should be %.3f", s.figure, 1024.0 / 335);
	}
}

static void two_on_one_cpu(struct sim *sim, const struct scenario *scenario)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(3, &one);
	for (unsigned i = 0; i < 2; i++) {
		struct sim_task *p = scenario_hog(sim, i ? "light" : "heavy", 3);

		sim_set_allowed(sim, p, &one);
		if (i)
			sim_set_nice(sim, p, LIGHT_NICE);
	}
}

static void ratio_of_two(struct sim *sim, struct scenario *scenario)
{
	scenario->figure = scenario_cpu_s(sim, "heavy") / scenario_cpu_s(sim, "light");
}

/* Where only one ever waits, it is the running one that must come before it. */
static void weight_is_service_for_two(void **state)
{
	struct scenario s = { .machine = "vm8",
			      .seed = 1,
			      .until_ns = 5000 * MS,
			      .start = two_on_one_cpu,
			      .finish = ratio_of_two };

	scenario_run(&s);
	if (s.figure < 0.95 * 1024 / 335 || s.figure > 1.05 * 1024 / 335)
		fail_msg("ratio %.3f, should be %.3f", s.figure, 1024.0 / 335);
}

static void four_hundred(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 400; i++)
		sim_set_nice(sim, scenario_hog(sim, "hog", 0), (__s32)(i % 3) * 5);
}

/* Fifty for each CPU, and of three weights. */
static void a_crowd_is_served_by_weight(void **state)
{
	struct scenario s = {
		.machine = "vm8", .seed = 9, .until_ns = 10000 * MS, .start = four_hundred
	};

	scenario_run(&s);
	assert_true(s.result.jain > 0.95);
}

static void one_of_no_weight(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 16; i++)
		scenario_hog(sim, "hog", 0);
	for (unsigned i = 0; i < 2; i++)
		sim_set_nice(sim, scenario_hog(sim, "light", 0), 19);
}

/* A slice costs it seventy of another; it must not wait for all of them. */
static void the_lightest_is_not_taken_for_lost(void **state)
{
	struct scenario s = { .machine = "vm8",
			      .seed = 1,
			      .wait_bound_ns = 400 * MS,
			      .until_ns = 5000 * MS,
			      .start = one_of_no_weight };

	scenario_run(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_get_the_same),
		cmocka_unit_test(weight_is_service),
		cmocka_unit_test(weight_is_service_for_two),
		cmocka_unit_test(a_crowd_is_served_by_weight),
		cmocka_unit_test(the_lightest_is_not_taken_for_lost),
	};

	cmocka_set_test_filter(getenv("SCENARIO"));
	return cmocka_run_group_tests_name("fairness", tests, NULL, NULL);
}
