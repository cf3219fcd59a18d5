/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/sim/test-machine.h"
#include "tests/sim/test-policy.h"
#include "tests/sim/test-program.h"

static const struct sim_policy policy_test = { FIFO_POLICY };

static void three_rounds_of_whole_slices(void **state)
{
	static struct sim_machine machine;
	struct sim_options options = { .topology = &machine.topology,
				       .machine = &machine,
				       .policy = &policy_test };
	struct sim *sim;

	test_machine(&machine, 2, 2, 2);
	assert_int_equal(sim_new(&options, &sim), 0);
	for (unsigned i = 0; i < 20; i++)
		test_spawn(sim, "worker", TEST_PROGRAM(10, RUN_MS(1)));
	assert_int_equal(sim_run(sim, 0), 0);
	assert_true(sim_now_ns(sim) > 30 * 1000000ULL);
	assert_true(sim_now_ns(sim) < 30200000);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_rounds_of_whole_slices),
	};

	return cmocka_run_group_tests_name("kernel order", tests, NULL, NULL);
}
