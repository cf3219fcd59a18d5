/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* The idle masks as reservations, and what wakes an idle CPU. */

static const struct sim_policy policy_fifo_queue = { FIFO_POLICY };

static void call_init_idle(struct sim *sim)
{
	assert_int_equal(sim_run(sim, 0), 0); /* no tasks: starts, and ends at once */
}

static void claim_is_exclusive(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	call_init_idle(run->sim);
	assert_true(kernel_test_idle(run->sim, 3));
	assert_true(kernel_claim_idle(run->sim, 3));
	assert_false(kernel_test_idle(run->sim, 3));
	assert_false(kernel_claim_idle(run->sim, 3));
	assert_true(cpu_is_idle(run->sim, 3));
	assert_false(kernel_claim_idle(run->sim, 99));
}

static void claim_takes_the_core_from_both_threads(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	call_init_idle(run->sim);
	assert_true(kernel_core_is_idle(run->sim, 2));
	assert_true(kernel_core_is_idle(run->sim, 3));
	kernel_claim_idle(run->sim, 3);
	assert_false(kernel_core_is_idle(run->sim, 2));
	assert_false(kernel_core_is_idle(run->sim, 3));
	assert_true(kernel_test_idle(run->sim, 2));
	assert_true(kernel_core_is_idle(run->sim, 0));
}

static void pick_prefers_whole_cores(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	cpu_set_t mask;
	__u32 cores = 0;
	__s32 cpu;

	call_init_idle(run->sim);
	CPU_ZERO(&mask);
	for (unsigned i = 0; i < 8; i++)
		CPU_SET(i, &mask);
	for (unsigned i = 0; i < 4; i++) {
		cpu = kernel_pick_idle_cpu(run->sim, &mask, i % 2);
		assert_in_range(cpu, 0, 7);
		cores |= 1 << cpu / 2;
	}
	assert_int_equal(cores, 15);
	assert_int_equal(kernel_pick_idle_cpu(run->sim, &mask, true), -1);
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(kernel_pick_idle_cpu(run->sim, &mask, false), 0, 7);
	assert_int_equal(kernel_pick_idle_cpu(run->sim, &mask, false), -1);
}

static void pick_keeps_to_the_mask(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	cpu_set_t mask;

	call_init_idle(run->sim);
	CPU_ZERO(&mask);
	CPU_SET(6, &mask);
	assert_int_equal(kernel_pick_idle_cpu(run->sim, &mask, true), 6);
	assert_int_equal(kernel_pick_idle_cpu(run->sim, &mask, false), -1);
}

static void core_is_whole_again_when_both_threads_are_idle(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct task_spec spec = test_spec("short", TEST_PROGRAM(1, RUN_MS(1)));

	spec.restricted = true;
	CPU_SET(4, &spec.allowed);
	sim_spawn(run->sim, NULL, &spec);
	spec.data = TEST_PROGRAM(1, RUN_MS(5));
	CPU_ZERO(&spec.allowed);
	CPU_SET(5, &spec.allowed);
	sim_spawn(run->sim, NULL, &spec);
	test_pass(run->sim, 3);
	assert_true(kernel_test_idle(run->sim, 4));
	assert_false(kernel_core_is_idle(run->sim, 4));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_true(kernel_core_is_idle(run->sim, 4));
	assert_true(kernel_core_is_idle(run->sim, 5));
}

static void kick_at(struct sim *sim, void *data)
{
	kernel_kick_cpu(sim, 3, SIM_KICK_IDLE);
}

/* Whoever claims has to kick: then the CPU looks, finds nothing, and has its bit again. */
static void leaked_claim_ends_with_a_kick(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct task_spec spec = test_spec("clock", TEST_PROGRAM(1, SLEEP_UNTIL_MS(100)));

	spec.restricted = true;
	CPU_SET(0, &spec.allowed);
	call_init_idle(run->sim);
	sim_spawn(run->sim, NULL, &spec);
	kernel_claim_idle(run->sim, 3);
	test_pass(run->sim, 50);
	assert_false(kernel_test_idle(run->sim, 3));
	assert_false(cpu_kick_pending(run->sim, 3));
	sim_at(run->sim, 60ULL * MS, kick_at, NULL);
	assert_int_equal(sim_run(run->sim, 60ULL * MS), -ETIMEDOUT);
	assert_true(cpu_kick_pending(run->sim, 3));
	test_pass(run->sim, 1);
	assert_true(kernel_test_idle(run->sim, 3));
	assert_true(cpu_is_idle(run->sim, 3));
}

static __s32 select_prev(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return prev;
}

static __u64 enqueue_kick;

static void to_cpu_7(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | 7, 0, enq_flags);
	if (enqueue_kick && task_view(p)->cpu != 7)
		kernel_kick_cpu(sim, 7, enqueue_kick);
}

static const struct sim_policy policy_to_7 = { FIFO_POLICY, .select_cpu = select_prev,
					       .enqueue = to_cpu_7 };

static void remote_insert_does_not_wake(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_to_7);

	enqueue_kick = 0;
	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(1)));
	test_pass(run->sim, 5);
	assert_int_equal(cpu_nr_local(run->sim, 7), 1);
	assert_true(cpu_is_idle(run->sim, 7));
	assert_int_equal(sim_run(run->sim, 0), -EPROTO); /* the watchdog */
}

static void remote_insert_with_a_kick_does(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_to_7);
	struct sim_task *task = test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(1)));

	enqueue_kick = SIM_KICK_IDLE;
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_int_equal(task_view(task)->cpu, 7);
	/* 1 us for the interrupt, up to 2.5 us to wake, 1 us for the switch, half for a tick. */
	assert_in_range(sim_now_ns(run->sim), 1 * MS + 4500, 1 * MS + 5000);
}

/* Who is kicked while it runs goes on until PREEMPT says otherwise. */
static void preempt_kick_ends_the_slice(void **state)
{
	for (enqueue_kick = SIM_KICK_IDLE; enqueue_kick <= SIM_KICK_PREEMPT; enqueue_kick++) {
		_cleanup_(test_endp) struct test_run *run =
			test_run_vm8(&policy_to_7);
		struct sim_task *a = test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(15)));
		struct sim_task *b;

		test_pass(run->sim, 1);
		assert_true(task_view(a)->running);
		b = test_spawn(run->sim, "b", TEST_PROGRAM(1, RUN_MS(15)));
		test_pass(run->sim, 1);
		assert_int_equal(task_view(b)->running, enqueue_kick == SIM_KICK_PREEMPT);
		assert_int_equal(task_view(a)->running, enqueue_kick == SIM_KICK_IDLE);
	}
}

static void preempting(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | 0, 0, SIM_ENQ_PREEMPT | SIM_ENQ_HEAD);
}

static void preempting_insert_ends_the_slice(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,
						  .enqueue = preempting };
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy);
	struct sim_task *a = test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(15)));
	struct sim_task *b;

	test_pass(run->sim, 1);
	assert_true(task_view(a)->running);
	b = test_spawn(run->sim, "b", TEST_PROGRAM(1, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, sim_now_ns(run->sim) + 10000), -ETIMEDOUT);
	assert_true(task_view(b)->running);
	assert_false(task_view(a)->running);
}

/* The longer it slept, the longer it takes to wake. */
static void deep_idle_wakes_slowly(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	__u64 began;

	test_spawn(run->sim, "a", TEST_PROGRAM(1, SLEEP_UNTIL_MS(50), RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 50ULL * MS), -ETIMEDOUT);
	began = sim_now_ns(run->sim);
	assert_int_equal(sim_run(run->sim, 0), 0);
	/* 100 to 125 us to wake, 40 us of cold clock, 1 us for the switch, half for a tick. */
	assert_in_range(sim_now_ns(run->sim) - began, 1 * MS + 141500, 1 * MS + 166500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claim_is_exclusive),
		cmocka_unit_test(claim_takes_the_core_from_both_threads),
		cmocka_unit_test(pick_prefers_whole_cores),
		cmocka_unit_test(pick_keeps_to_the_mask),
		cmocka_unit_test(core_is_whole_again_when_both_threads_are_idle),
		cmocka_unit_test(leaked_claim_ends_with_a_kick),
		cmocka_unit_test(remote_insert_does_not_wake),
		cmocka_unit_test(remote_insert_with_a_kick_does),
		cmocka_unit_test(preempt_kick_ends_the_slice),
		cmocka_unit_test(preempting_insert_ends_the_slice),
		cmocka_unit_test(deep_idle_wakes_slowly),
	};

	return cmocka_run_group_tests_name("kernel idle", tests, NULL, NULL);
}
