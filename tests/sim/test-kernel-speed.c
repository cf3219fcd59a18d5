/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* How fast work is done, and what slows it down. */

static const struct sim_policy policy_fifo_queue = { FIFO_POLICY };

static struct sim_task *spawn_on(struct sim *sim, __s32 cpu, __u32 smt_share, __u64 work_ms)
{
	struct task_spec spec = test_spec("worker", TEST_PROGRAM(1, RUN_MS(work_ms)));

	spec.smt_share = smt_share;
	spec.restricted = true;
	CPU_SET(cpu, &spec.allowed);
	return sim_spawn(sim, NULL, &spec);
}

/* Beside 1 us for the switch, 3.5 us to wake, and ticks of 0.5 us each ms. */
static void took(struct sim *sim, double ms)
{
	assert_int_equal(sim_run(sim, 0), 0);
	assert_float_equal(sim_now_ns(sim) / 1e6 / ms, 1.0, 0.0015);
}

static void busy_siblings_share_the_core(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	spawn_on(run->sim, 0, 614, 60); /* 0.6 */
	spawn_on(run->sim, 1, 614, 60);
	took(run->sim, 100);
}

/* 30 ms at 0.6 beside the short one, whose 18 ms take as long; then 42 ms alone. */
static void sharing_ends_with_the_sibling(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	spawn_on(run->sim, 0, 614, 60);
	spawn_on(run->sim, 1, 614, 18);
	took(run->sim, 30 + 42);
}

static void other_core_costs_nothing(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	spawn_on(run->sim, 0, 614, 60);
	spawn_on(run->sim, 2, 614, 60);
	took(run->sim, 60);
}

static void without_sharing_siblings_cost_nothing(void **state)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run(&policy_fifo_queue, 2, 2, 2);

	run->options.no_smt_sharing = true;
	test_begin(run);
	spawn_on(run->sim, 0, 614, 60);
	spawn_on(run->sim, 1, 614, 60);
	took(run->sim, 60);
}

static void small_core_is_slow(void **state)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run(&policy_fifo_queue, 2, 2, 2);

	run->machine.capacity[4] = 512;
	test_begin(run);
	spawn_on(run->sim, 4, 1024, 30);
	took(run->sim, 60);
}

/* One core at twice the nominal clock, from the second on nominal; 1 ms late. */
static void clock_follows_the_active_cores(void **state)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run(&policy_fifo_queue, 2, 2, 2);

	run->machine.nr_frequencies = 2;
	run->machine.frequency[0].nr_cores = 1;
	run->machine.frequency[0].mhz = 4000;
	run->machine.frequency[1].nr_cores = 4;
	run->machine.frequency[1].mhz = 2000;
	test_begin(run);
	spawn_on(run->sim, 0, 1024, 60);
	spawn_on(run->sim, 1, 1024, 60); /* the same core */
	took(run->sim, 30);
	spawn_on(run->sim, 0, 1024, 60);
	spawn_on(run->sim, 2, 1024, 60);
	took(run->sim, 30 + 59.3); /* woken from deep sleep 0.2 ms late, and 0.8 ms fast */
}

static void cpuperf_slows_the_clock(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	spawn_on(run->sim, 3, 1024, 30);
	test_pass(run->sim, 1);
	kernel_set_cpuperf(run->sim, 3, 512);
	took(run->sim, 2 + 2 * 28); /* within 1 ms */
}

static void allow_only(struct sim *sim, struct sim_task *task, __s32 cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	sim_set_allowed(sim, task, &mask);
}

/* From CPU 0 after 1 ms: how much longer does it take? In us, without what a move costs anyhow. */
static double extra_us(__s32 to, bool other_node, __u32 footprint_kb)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run(&policy_fifo_queue, 2, 2, 2);
	struct task_spec spec = test_spec("mover", TEST_PROGRAM(1, RUN_MS(2)));
	struct sim_task *task;

	run->machine.topology.domains[1].node = other_node;
	run->options.hz = 1; /* no tick in between */
	test_begin(run);
	spec.footprint_kb = footprint_kb;
	spec.restricted = true;
	CPU_SET(0, &spec.allowed);
	task = sim_spawn(run->sim, NULL, &spec);
	test_pass(run->sim, 1);
	allow_only(run->sim, task, to);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_int_equal(task_view(task)->cpu, to);
	return (sim_now_ns(run->sim) - 2.0 * MS) / 1e3;
}

static void moves_cost_by_distance_and_footprint(void **state)
{
	double core = extra_us(1, false, 404);

	assert_float_equal(core, extra_us(4, false, 0), 8.0);
	assert_float_equal(extra_us(2, false, 404) - core, 10 + 0.05 * 404, 8.0);
	assert_float_equal(extra_us(4, false, 404) - core, 35 + 0.15 * 404, 8.0);
	assert_float_equal(extra_us(4, true, 404) - core, 1.7 * (35 + 0.15 * 404), 8.0);
	assert_float_equal(extra_us(4, false, 4040) - core, 35 + 0.15 * 4040, 8.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_siblings_share_the_core),
		cmocka_unit_test(sharing_ends_with_the_sibling),
		cmocka_unit_test(other_core_costs_nothing),
		cmocka_unit_test(without_sharing_siblings_cost_nothing),
		cmocka_unit_test(small_core_is_slow),
		cmocka_unit_test(clock_follows_the_active_cores),
		cmocka_unit_test(cpuperf_slows_the_clock),
		cmocka_unit_test(moves_cost_by_distance_and_footprint),
	};

	return cmocka_run_group_tests_name("kernel speed", tests, NULL, NULL);
}
