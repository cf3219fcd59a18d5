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

/* The machine, the mode and the masks change while tasks run. */

#define MS 1000000ULL

static void mixture(struct sim *sim)
{
	for (unsigned i = 0; i < 5; i++)
		scenario_hog(sim, "hog", 0);
	for (unsigned i = 0; i < 6; i++)
		scenario_sleeper(sim, "worker", 2 * MS, 100000, NULL);
	for (unsigned i = 0; i < 4; i++)
		scenario_sleeper(sim, "short", 50000, 400000, NULL);
	scenario_pair(sim, "pair", 20000);
}

struct switching {
	unsigned nr;
	bool donated_while_off;
	__u64 donations;
};

static __u64 donations(struct sim *sim)
{
	struct donor_sim *donor = sim_policy_data(sim);

	return donor->counters[DONOR_COUNT_donate_select_cpu_ok] +
	       donor->counters[DONOR_COUNT_donate_enqueue_ok];
}

/* Round the modes; at every fourth turn donation is off, and then none may happen. */
static void switch_mode(struct sim *sim, void *data)
{
	struct switching *switching = data;
	struct donor_params params = scenario_params(switching->nr % _DONOR_MODE_MAX);

	if (switching->nr % 4 == 3)
		switching->donated_while_off |= donations(sim) != switching->donations;
	switching->nr++;
	switching->donations = donations(sim);
	if (switching->nr % 4 == 3)
		params.donate_select_cpu = params.donate_enqueue = 0;
	donor_sim_set_params(sim, &params);
	sim_at(sim, sim_now_ns(sim) + 25 * MS, switch_mode, data);
}

static struct switching switching;

/* More than the cores of the first domain, and soon over: there is something to give all the time. */
static void some_jobs(struct sim *sim, void *data)
{
	for (unsigned i = 0; i < 3; i++)
		scenario_job(sim, "job", 0, 3 * MS);
	sim_at(sim, sim_now_ns(sim) + 12 * MS, some_jobs, data);
}

static void switched(struct sim *sim, const struct scenario *scenario)
{
	switching = (struct switching){};
	scenario_pair(sim, "pair", 20000);
	some_jobs(sim, NULL);
	sim_at(sim, 25 * MS, switch_mode, &switching);
}

/* A new mode every 25 ms: nobody is lost, and what is off is off from the next callback. */
static void modes_change_under_load(void **state)
{
	for (__u64 seed = 1; seed <= 2; seed++) {
		struct scenario s = { .machine = "vm8",
				      .seed = seed,
				      .wait_bound_ns = 1000 * MS,
				      .until_ns = 2000 * MS,
				      .start = switched };

		scenario_run(&s);
		assert_int_equal(switching.nr, 80);
		assert_false(switching.donated_while_off);
		assert_true(switching.donations > 50);
	}
}

static void unplug(struct sim *sim, void *data)
{
	__s32 cpu = (__s32)(sim_random(sim, RANDOM_PROGRAM) % 7) + 1;

	sim_set_online(sim, cpu, !cpu_is_online(sim, cpu));
	sim_at(sim, sim_now_ns(sim) + 10 * MS, unplug, data);
}

static void unplugged(struct sim *sim, const struct scenario *scenario)
{
	mixture(sim);
	sim_at(sim, 10 * MS, unplug, NULL);
}

static void processors_come_and_go(void **state)
{
	for (__u64 seed = 1; seed <= 6; seed++) {
		struct scenario s = { .machine = "vm8",
				      .seed = seed,
				      .interleave = seed % 2,
				      .wait_bound_ns = 1000 * MS,
				      .until_ns = 3000 * MS,
				      .start = unplugged };

		scenario_run(&s);
	}
}

static void change_masks(struct sim *sim, void *data)
{
	for (struct sim_task *p = NULL; (p = sim_next_task(sim, p));) {
		__u64 bits = sim_random(sim, RANDOM_PROGRAM);
		cpu_set_t mask;

		CPU_ZERO(&mask);
		for (unsigned cpu = 0; cpu < 8; cpu++)
			if (bits >> cpu & 1 || bits & 0x300)
				CPU_SET(cpu, &mask);
		if (!CPU_COUNT(&mask))
			CPU_SET(bits >> 16 & 7, &mask);
		sim_set_allowed(sim, p, &mask);
	}
	sim_at(sim, sim_now_ns(sim) + 7 * MS, change_masks, data);
}

static void masked(struct sim *sim, const struct scenario *scenario)
{
	if (scenario->seed % 4 != 1)
		mixture(sim);
	else /* with room: where it was is often idle, and no longer allowed */
		for (unsigned i = 0; i < 3; i++)
			scenario_sleeper(sim, "short", 50000, 400000, NULL);
	sim_at(sim, 10 * MS, change_masks, NULL);
}

/* Any mask at any time: P1 sees to it that none is broken. */
static void masks_change(void **state)
{
	for (__u64 seed = 1; seed <= 6; seed++)
		for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
			struct donor_params params = scenario_params(mode);
			struct scenario s = { .machine = "vm8",
					      .params = &params,
					      .seed = seed,
					      .interleave = seed % 2,
					      .wait_bound_ns = 2000 * MS,
					      .until_ns = 2000 * MS,
					      .start = masked };

			scenario_run(&s);
		}
}

/* Three workers on eight CPUs in power mode: half of the machine sleeps, and nobody waits. */
static void little_work(struct sim *sim, const struct scenario *scenario)
{
	cpu_set_t last;

	CPU_ZERO(&last);
	CPU_SET(5, &last); /* second threads go first */
	CPU_SET(7, &last);
	for (unsigned i = 0; i < 2; i++)
		scenario_sleeper(sim, "worker", 1 * MS, 9 * MS, NULL);
	for (unsigned i = 0; i < 2; i++) /* now and then one waits for the other */
		scenario_sleeper(sim, "bound", 2 * MS, 7 * MS + i * 500000, &last);
}

static void compaction_strands_nobody(void **state)
{
	struct donor_params params = scenario_params(DONOR_MODE_POWER);
	struct scenario s = { .machine = "vm8",
			      .params = &params,
			      .seed = 1,
			      .wait_bound_ns = 20 * MS,
			      .until_ns = 5000 * MS,
			      .start = little_work };

	scenario_run(&s);
	assert_true(s.donor.balance.nr_active <= 4);
	assert_int_equal(CPU_COUNT(&s.donor.all_active), s.donor.balance.nr_active);
}

static void burst(struct sim *sim, void *data)
{
	for (unsigned i = 0; i < 6; i++)
		scenario_hog(sim, "hog", 0);
}

static void little_then_much(struct sim *sim, const struct scenario *scenario)
{
	little_work(sim, scenario);
	sim_at(sim, 1000 * MS, burst, NULL);
}

static void compaction_ends_when_work_comes(void **state)
{
	struct donor_params params = scenario_params(DONOR_MODE_POWER);
	struct scenario s = { .machine = "vm8",
			      .params = &params,
			      .seed = 1,
			      .wait_bound_ns = 100 * MS,
			      .until_ns = 2000 * MS,
			      .start = little_then_much };

	scenario_run(&s);
	assert_int_equal(CPU_COUNT(&s.donor.all_active), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_change_under_load),
		cmocka_unit_test(processors_come_and_go),
		cmocka_unit_test(masks_change),
		cmocka_unit_test(compaction_strands_nobody),
		cmocka_unit_test(compaction_ends_when_work_comes),
	};

	cmocka_set_test_filter(getenv("SCENARIO"));
	return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
