/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/sim/scenario.h"

/* The situations that donor is made for, each as small as it shows. */

enum {
	MS = 1000000,
};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_hog_gets_a_core),
	};

	return cmocka_run_group_tests_name("scenarios", tests, NULL, NULL);
}
