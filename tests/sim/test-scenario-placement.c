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

/* Where tasks go on a machine with room: what donation is for. */

#define MS 1000000ULL

/* How many tasks are badly placed, read at a time that the test chooses. */
static unsigned nr_crowded;

static void look(struct sim *sim, void *data)
{
	nr_crowded = scenario_nr_crowded(sim);
}

static void nine_hogs(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 9; i++)
		scenario_hog(sim, "hog", 0);
	sim_at(sim, 2 * scenario_params(DONOR_MODE_BALANCED).balance_interval_ns, look, NULL);
}

static void each_hog_gets_a_core(void **state)
{
	for (__u64 seed = 1; seed <= 20; seed++) {
		struct scenario s = { .machine = "l3:2 core:8 pu:2",
				      .seed = seed,
				      .interleave = seed % 2,
				      .grace_ns = MS,
				      .until_ns = 200 * MS,
				      .start = nine_hogs };

		scenario_run(&s);
		assert_int_equal(nr_crowded, 0);
		s.machine = "l3:2 core:8 pu:1";
		scenario_run(&s);
		assert_int_equal(nr_crowded, 0);
	}
}

static void four_hogs(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 4; i++)
		scenario_hog(sim, "hog", 0);
}

/* Callbacks that interleave lose whole cores in the kernel, too: see core_is_lost(). */
static void a_core_that_the_kernel_lost_is_used(void **state)
{
	for (__u64 seed = 1; seed <= 40; seed++) {
		struct scenario s = { .machine = "l3:2 core:2 pu:2",
				      .seed = seed,
				      .interleave = true,
				      .until_ns = 1000 * MS,
				      .start = four_hogs };

		scenario_run(&s);
		if (s.result.shared_core_waste > 0.05)
			fail_msg("seed %llu: %.3f of the time a core was shared in vain", seed,
				 s.result.shared_core_waste);
	}
}

static void fork_hog(struct sim *sim, void *data)
{
	scenario_hog(sim, "hog", 0);
}

/* All from one place, as fast as a process can fork. */
static void hogs_on_all_cores(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < sim_topology(sim)->nr_cpus / 2; i++)
		sim_at(sim, i * 50000, fork_hog, NULL);
}

/* As many hogs as cores: none waits, and none shares for long. */
static void no_hog_waits_on_a_big_machine(void **state)
{
	static const char *const machines[] = { "tr3970x", "epyc-2x192" };

	for (unsigned i = 0; i < 2; i++) {
		struct scenario s = { .machine = machines[i],
				      .seed = 3,
				      .grace_ns = MS,
				      .until_ns = 1000 * MS,
				      .start = hogs_on_all_cores };

		scenario_run(&s);
		assert_true(s.result.violation_max_us < 1000);
		assert_true(s.result.shared_core_waste <= 0.01);
	}
}

static void hogs_at_once(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < sim_topology(sim)->nr_cpus; i++)
		scenario_hog(sim, "hog", 0);
}

/* One for each CPU, all at the same moment: the hints of what is idle are all wrong then. */
static void a_burst_finds_every_cpu(void **state)
{
	static const char *const machines[] = { "vm8", "tr3970x", "epyc-2x192" };

	for (unsigned i = 0; i < 3; i++) {
		struct scenario s = { .machine = machines[i],
				      .seed = i,
				      .grace_ns = MS,
				      .until_ns = 100 * MS,
				      .start = hogs_at_once };

		scenario_run(&s);
		assert_true(s.result.violation_max_us < 1000);
	}
}

static void a_pair(struct sim *sim, const struct scenario *scenario)
{
	scenario_pair(sim, "pair", 40000);
}

/* 10,000 hand-overs a second: the two stay behind one cache. */
static void a_pair_stays_together(void **state)
{
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		struct donor_params params = scenario_params(mode);
		struct scenario s = { .machine = "vm8",
				      .params = &params,
				      .seed = 1,
				      .until_ns = 2000 * MS,
				      .start = a_pair };

		scenario_run(&s);
		assert_true(s.result.migrations_node + s.result.migrations_remote == 0);
	}
}

static void one_crowd(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 32; i++)
		scenario_hog(sim, "hog", 0);
	sim_at(sim, 20 * MS, look, NULL);
}

/* Two dozen domains, one of them with twice as many hogs as cores. */
static void a_crowd_spreads(void **state)
{
	struct scenario s = { .machine = "epyc-2x192",
			      .seed = 5,
			      .grace_ns = MS,
			      .until_ns = 100 * MS,
			      .start = one_crowd };

	scenario_run(&s);
	assert_int_equal(nr_crowded, 0);
}

static void confined(struct sim *sim, const struct scenario *scenario)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	for (unsigned i = 0; i < 4; i++)
		CPU_SET(i, &first);
	for (unsigned i = 0; i < 6; i++)
		scenario_sleeper(sim, "confined", 3 * MS, 30000, &first);
}

/* A mask of one domain holds, whatever is idle elsewhere. */
static void a_mask_is_kept(void **state)
{
	struct scenario s = { .machine = "vm8",
			      .seed = 2,
			      .interleave = true,
			      .grace_ns = 2 * MS,
			      .until_ns = 1000 * MS,
			      .start = confined };

	scenario_run(&s);
	assert_int_equal(scenario_counter(&s, DONOR_COUNT_place_donated), 0);
}

static void crowd_of_sleepers(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 4; i++)
		scenario_sleeper(sim, "worker", 4 * MS, 50000, NULL);
}

/* Four on four cores, with room for each: they share no core, and hardly move. */
static void workers_do_not_share(void **state)
{
	for (__u64 seed = 1; seed <= 5; seed++) {
		struct scenario s = { .machine = "vm8",
				      .seed = seed,
				      .until_ns = 2000 * MS,
				      .start = crowd_of_sleepers };

		scenario_run(&s);
		assert_true(s.result.shared_core_waste <= 0.01);
		assert_true(s.result.migrations_node <= 0.4);
	}
}

/* Beside somebody who may not leave his half of the domain. */
static void half_confined(struct sim *sim, const struct scenario *scenario)
{
	cpu_set_t first, both;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	both = first;
	CPU_SET(1, &both);
	scenario_sleeper(sim, "bound", 5 * MS, 1 * MS, &first);
	for (unsigned i = 0; i < 2; i++)
		scenario_sleeper(sim, "confined", 3 * MS, 200000 + i * 100000, &both);
}

static void half_a_domain_is_used(void **state)
{
	for (__u64 seed = 1; seed <= 4; seed++) {
		struct scenario s = { .machine = "vm8",
				      .seed = seed,
				      .grace_ns = MS / 2,
				      .until_ns = 1000 * MS,
				      .start = half_confined };

		scenario_run(&s);
	}
}

/* More than there are cores, and half of them end. */
static void half_of_them_end(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 8; i++)
		if (i % 4 < 2)
			scenario_hog(sim, "hog", 0);
		else
			scenario_job(sim, "job", 0, 10 * MS);
	sim_at(sim, 100 * MS, look, NULL);
}

static void who_shares_moves_when_a_core_falls_idle(void **state)
{
	for (__u64 seed = 1; seed <= 10; seed++) {
		struct scenario s = { .machine = "vm8",
				      .seed = seed,
				      .until_ns = 200 * MS,
				      .start = half_of_them_end };

		scenario_run(&s);
		assert_int_equal(nr_crowded, 0);
	}
}

/* Six fill three cores of the second domain; one core is left, but not less work. */
static void a_busy_neighbour(struct sim *sim, const struct scenario *scenario)
{
	cpu_set_t three_cores;

	CPU_ZERO(&three_cores);
	for (unsigned cpu = 8; cpu < 14; cpu++)
		CPU_SET(cpu, &three_cores);
	for (unsigned i = 0; i < 6; i++)
		scenario_sleeper(sim, "confined", 1000 * MS, 1, &three_cores);
	for (unsigned i = 0; i < 5; i++)
		sim_at(sim, (50 + i) * MS, fork_hog, NULL);
}

static void the_busier_domain_is_given_nothing(void **state)
{
	struct scenario s = { .machine = "l3:2 core:4 pu:2",
			      .seed = 1,
			      .until_ns = 200 * MS,
			      .start = a_busy_neighbour };

	scenario_run(&s);
	assert_int_equal(scenario_counter(&s, DONOR_COUNT_place_donated), 0);
	assert_true(scenario_counter(&s, DONOR_COUNT_donate_select_cpu_no_gain) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_hog_gets_a_core),
		cmocka_unit_test(a_core_that_the_kernel_lost_is_used),
		cmocka_unit_test(no_hog_waits_on_a_big_machine),
		cmocka_unit_test(a_burst_finds_every_cpu),
		cmocka_unit_test(a_pair_stays_together),
		cmocka_unit_test(a_crowd_spreads),
		cmocka_unit_test(a_mask_is_kept),
		cmocka_unit_test(workers_do_not_share),
		cmocka_unit_test(half_a_domain_is_used),
		cmocka_unit_test(who_shares_moves_when_a_core_falls_idle),
		cmocka_unit_test(the_busier_domain_is_given_nothing),
	};

	cmocka_set_test_filter(getenv("SCENARIO"));
	return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
