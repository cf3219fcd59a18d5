/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/sim/scenario.h"
#include "tests/sim/workload.h"

/* A browser draws beside work that fills the machine. */

#define MS 1000000ULL

enum {
	RUN_S = 20,
	NR_CPUS = 8,
};

static struct workload *browser; /* outlives the run */

static void browser_beside_hogs(struct sim *sim, const struct scenario *scenario)
{
	char *message;

	if (workload_load("webgl-aquarium", &browser, &message) < 0)
		fail_msg("%s", message);
	assert_int_equal(workload_start(browser, sim, 1, true), 0);
	for (__s32 cpu = 0; cpu < NR_CPUS; cpu++)
		scenario_hog(sim, "hog", cpu);
}

/* Of what the browser leaves, how much do the hogs get? */
static void share_of_hogs(struct sim *sim, struct scenario *scenario)
{
	static const char *const names[] = { "main", "gpu", "compositor", "display", "helper" };
	double left_s = (double)NR_CPUS * RUN_S;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		left_s -= scenario_cpu_s(sim, names[i]);
	scenario->figure = scenario_cpu_s(sim, "hog") / left_s;
}

static void pictures_come_in_time(void **state)
{
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		for (__u64 seed = 1; seed <= 2; seed++) {
			struct donor_params params = scenario_params(mode);
			struct scenario s = { .machine = "l3:2 core:4 pu:1",
					      .params = &params,
					      .seed = seed,
					      .until_ns = RUN_S * 1000 * MS,
					      .start = browser_beside_hogs,
					      .finish = share_of_hogs };

			scenario_run(&s);
			browser = workload_free(browser);
			if (s.result.missed_frames > 0.001 || s.figure < 0.95)
				fail_msg("mode %u, seed %llu: %.4f missed, hogs %.3f", mode, seed,
					 s.result.missed_frames, s.figure);
		}
}

/* Three cores have a hog each, the links of a chain follow each other on the fourth. */
static void chain_beside_hogs(struct sim *sim, const struct scenario *scenario)
{
	static const __u64 links_ns[] = { 7500000, 5500000, 3500000 };

	for (__s32 cpu = 0; cpu < 3; cpu++)
		scenario_hog(sim, "hog", cpu);
	scenario_chain(sim, "link", 16667000, links_ns, 3);
}

static void a_chain_takes_one_core(void **state)
{
	for (enum donor_mode mode = DONOR_MODE_BALANCED; mode < _DONOR_MODE_MAX; mode++)
		for (__u64 seed = 1; seed <= 3; seed++) {
			struct donor_params params = scenario_params(mode);
			struct scenario s = { .machine = "l3:2 core:2 pu:2",
					      .params = &params,
					      .interleave = seed % 2,
					      .seed = seed,
					      .until_ns = RUN_S * 1000 * MS,
					      .start = chain_beside_hogs };

			scenario_run(&s);
			if (s.result.shared_core_waste > 0.01)
				fail_msg(
					"mode %u, seed %llu: %.3f of the time a core was shared in vain",
					mode, seed, s.result.shared_core_waste);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_come_in_time),
		cmocka_unit_test(a_chain_takes_one_core),
	};

	cmocka_set_test_filter(getenv("SCENARIO"));
	return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
