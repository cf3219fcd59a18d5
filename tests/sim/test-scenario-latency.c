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

/* Who is waited for runs in time. */

#define MS 1000000ULL

static void hogs_everywhere(struct sim *sim)
{
	for (__u32 i = 0; i < sim_topology(sim)->nr_cpus; i++)
		scenario_hog(sim, "hog", (__s32)i);
}

static void audio_beside_hogs(struct sim *sim, const struct scenario *scenario)
{
	hogs_everywhere(sim);
	scenario_periodic(sim, "audio", 5 * MS, 300000);
}

static void sound_does_not_stutter(void **state)
{
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		for (__u64 seed = 1; seed <= 3; seed++) {
			struct donor_params params = scenario_params(mode);
			struct scenario s = { .machine = "vm8",
					      .params = &params,
					      .seed = seed,
					      .until_ns = 10000 * MS,
					      .start = audio_beside_hogs };

			scenario_run(&s);
			if (s.result.missed_frames > 0)
				fail_msg("mode %u: %.4f missed", mode, s.result.missed_frames);
		}
}

enum {
	NR_KWORKERS = 8,
	NR_WAKERS = 16,
};

static void kworkers_and_wakers(struct sim *sim, const struct scenario *scenario)
{
	hogs_everywhere(sim);
	for (unsigned i = 0; i < NR_KWORKERS; i++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(i, &one);
		scenario_sleeper(sim, "kworker", 100000, 2 * MS, &one);
	}
	for (unsigned i = 0; i < NR_WAKERS; i++)
		scenario_sleeper(sim, "waker", 500000, 1 * MS, NULL);
}

/* Bound kernel threads beside hogs and many wakeups: nobody waits long. Also where no kernel shows
 * which of two queues goes first.
 */
static void bound_threads_are_served(void **state)
{
	for (unsigned blind = 0; blind < 2; blind++) {
		struct scenario s = { .machine = "vm8",
				      .seed = 4,
				      .interleave = true,
				      .blind = blind,
				      .wait_bound_ns = 100 * MS,
				      .until_ns = 20000 * MS,
				      .start = kworkers_and_wakers };

		scenario_run(&s);
	}
}

static void nothing_much(struct sim *sim, const struct scenario *scenario)
{
	scenario_sleeper(sim, "daemon", 50000, 1000 * MS, NULL);
}

/* An idle machine is left alone. */
static void an_idle_machine_sleeps(void **state)
{
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		struct donor_params params = scenario_params(mode);
		struct scenario s = { .machine = "tr3970x",
				      .params = &params,
				      .seed = 1,
				      .until_ns = 10000 * MS,
				      .start = nothing_much };

		scenario_run(&s);
		assert_true(scenario_counter(&s, DONOR_COUNT_balance_passes) <= 10 * 10);
		assert_true(s.result.kicks <= 1);
	}
}

static void much_audio(struct sim *sim, const struct scenario *scenario)
{
	for (unsigned i = 0; i < 3; i++)
		hogs_everywhere(sim);
	scenario_periodic(sim, "audio", 3 * MS, 300000);
}

/* A crowd, and buffers of 3 ms. */
static void sound_goes_before_a_crowd(void **state)
{
	for (__u64 seed = 1; seed <= 3; seed++) {
		struct scenario s = {
			.machine = "vm8", .seed = seed, .until_ns = 10000 * MS, .start = much_audio
		};

		scenario_run(&s);
		if (s.result.missed_frames > 0.001)
			fail_msg("%.4f missed", s.result.missed_frames);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_does_not_stutter),
		cmocka_unit_test(bound_threads_are_served),
		cmocka_unit_test(an_idle_machine_sleeps),
		cmocka_unit_test(sound_goes_before_a_crowd),
	};

	cmocka_set_test_filter(getenv("SCENARIO"));
	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
