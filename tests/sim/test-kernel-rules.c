/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* What ends a policy, each with the sentence that says so. */

static __s32 select_prev(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return prev;
}

static void run_one(const struct sim_policy *policy, int result, const char *sentence)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(policy);
	struct task_spec spec = test_spec("victim", TEST_PROGRAM(1, RUN_MS(1)));

	spec.restricted = true;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		CPU_SET(cpu, &spec.allowed);
	sim_set_online(run->sim, 2, false);
	sim_run(run->sim, 0); /* offline before the task comes */
	sim_spawn(run->sim, NULL, &spec);
	assert_int_equal(sim_run(run->sim, 0), result);
	if (sentence)
		assert_string_equal(sim_error(run->sim), sentence);
	else
		assert_null(sim_error(run->sim));
}

#define ENQUEUE_RULE(name, sentence, ...)                                                          \
	static void name##_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)           \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}                                                                                          \
	static void name(void **state)                                                             \
	{                                                                                          \
		static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,  \
							  .enqueue = name##_enqueue };             \
		run_one(&policy, -EPROTO, sentence);                                               \
	}

ENQUEUE_RULE(local_outside_the_mask, "target CPU 5 not allowed for victim[1]",
	     kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | 5, 0, 0))
ENQUEUE_RULE(local_on_offline_cpu, "target CPU 2 offline for victim[1]",
	     kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | 2, 0, 0))
ENQUEUE_RULE(local_on_no_cpu, "non-existent DSQ 0xc000000000000063 for victim[1]",
	     kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | 99, 0, 0))
ENQUEUE_RULE(unknown_queue, "non-existent DSQ 0x63 for victim[1]", kernel_insert(sim, p, 99, 0, 0))
ENQUEUE_RULE(second_insert, "victim[1] already direct-dispatched",
	     kernel_insert(sim, p, TEST_DSQ, 0, 0), kernel_insert(sim, p, TEST_DSQ, 0, 0))
ENQUEUE_RULE(vtime_on_local, "cannot use vtime ordering for built-in DSQs",
	     kernel_insert_vtime(sim, p, SIM_DSQ_LOCAL, 0, 5, 0))
ENQUEUE_RULE(move_to_local_in_enqueue, "move_to_local outside of dispatch",
	     kernel_move_to_local(sim, TEST_DSQ))
ENQUEUE_RULE(idle_kick_that_preempts, "PREEMPT cannot be used with IDLE",
	     kernel_kick_cpu(sim, 1, SIM_KICK_IDLE | SIM_KICK_PREEMPT))
ENQUEUE_RULE(kick_of_no_cpu, "kick of invalid CPU 8", kernel_kick_cpu(sim, 8, 0))
ENQUEUE_RULE(lost_task, "watchdog: victim[1] failed to run for 15.000s", (void)p)

static __s32 select_nonsense(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return 8;
}

static void nonsense_from_select_cpu(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_nonsense };

	run_one(&policy, -EPROTO, "select_cpu returned invalid CPU 8 for victim[1]");
}

static __s32 selected;

static __s32 select_illegal(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	kernel_insert(sim, p, SIM_DSQ_LOCAL, 0, 0);
	return selected;
}

/* The kernel does not trust select_cpu, and does not mind. */
static void illegal_choice_falls_back(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_illegal };

	selected = 5;
	run_one(&policy, 0, NULL);
	selected = 2;
	run_one(&policy, 0, NULL);
}

static void inserts_in_running(struct sim *sim, struct sim_task *p)
{
	kernel_insert(sim, p, TEST_DSQ, 0, 0);
}

static void insert_in_running(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .running = inserts_in_running };

	run_one(&policy, -EPROTO, "insert of victim[1] from a callback that may not");
}

static void inserts_another(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, sim_next_task(sim, NULL), TEST_DSQ, 0, 0);
}

static void insert_of_another_task(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,
						  .enqueue = inserts_another };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(1)));
	test_spawn(run->sim, "b", TEST_PROGRAM(1, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), -EPROTO);
	assert_string_equal(sim_error(run->sim),
			    "scheduling for b[2] but trying to direct-dispatch a[1]");
}

static void inserts_by_turns(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	if (task_view(p)->pid % 2)
		kernel_insert(sim, p, TEST_DSQ, 0, 0);
	else
		kernel_insert_vtime(sim, p, TEST_DSQ, 0, 1, 0);
}

static void fifo_and_vtime_do_not_mix(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,
						  .enqueue = inserts_by_turns };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	for (unsigned i = 0; i < 3; i++)
		test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), -EPROTO);
	assert_string_equal(sim_error(run->sim), "DSQ 7 already had FIFO tasks when a was inserted");
}

static int refuses(struct sim *sim)
{
	return -ENOENT;
}

static void failed_init_fails_the_run(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .init = refuses };

	run_one(&policy, -ENOENT, NULL);
}

static int refuses_task(struct sim *sim, struct sim_task *p)
{
	return -ENOMEM;
}

static void failed_init_task_ejects(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .init_task = refuses_task };

	run_one(&policy, -EPROTO, "init_task of victim[1] failed");
}

static void program_in_no_time(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	test_spawn(run->sim, "loop", TEST_PROGRAM(0, RUN_MS(0)));
	assert_int_equal(sim_run(run->sim, 0), -EPROTO);
	assert_string_equal(sim_error(run->sim), "program of loop[1] does 100001 steps in no time");
}

static void nobody_left_to_wake(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	test_spawn(run->sim, "waits", TEST_PROGRAM(1, RUN_MS(1), BLOCK));
	assert_int_equal(sim_run(run->sim, 0), -EDEADLK);
	sim_wake(run->sim, sim_next_task(run->sim, NULL), NULL, 0);
	assert_int_equal(sim_run(run->sim, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_outside_the_mask),
		cmocka_unit_test(local_on_offline_cpu),
		cmocka_unit_test(local_on_no_cpu),
		cmocka_unit_test(unknown_queue),
		cmocka_unit_test(second_insert),
		cmocka_unit_test(vtime_on_local),
		cmocka_unit_test(move_to_local_in_enqueue),
		cmocka_unit_test(idle_kick_that_preempts),
		cmocka_unit_test(kick_of_no_cpu),
		cmocka_unit_test(lost_task),
		cmocka_unit_test(nonsense_from_select_cpu),
		cmocka_unit_test(illegal_choice_falls_back),
		cmocka_unit_test(insert_in_running),
		cmocka_unit_test(insert_of_another_task),
		cmocka_unit_test(fifo_and_vtime_do_not_mix),
		cmocka_unit_test(failed_init_fails_the_run),
		cmocka_unit_test(failed_init_task_ejects),
		cmocka_unit_test(program_in_no_time),
		cmocka_unit_test(nobody_left_to_wake),
	};

	return cmocka_run_group_tests_name("kernel rules", tests, NULL, NULL);
}
