/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* In which order the policy is called, and what has happened by then. */

static const struct sim_policy policy_log = { LOG_POLICY };
static const struct sim_policy policy_last = { LOG_POLICY, .ops_flags = SIM_OPS_ENQ_LAST };

static void life_of_a_task(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);

	test_spawn(run->sim, "worker", TEST_PROGRAM(1, RUN_MS(1), SLEEP_UNTIL_MS(5), RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim),
			    "init_task fork runnable() busy running "
			    "stopping() quiescent(sleep) dispatch(asleep) idle "
			    "select runnable(wakeup) busy running "
			    "stopping() quiescent(sleep) dispatch(asleep) idle exit_task");
}

static void busy_cpu_means_enqueue_and_dispatch(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);

	run->log.off = true;
	test_spawn(run->sim, "first", TEST_PROGRAM(1, RUN_MS(5)));
	test_pass(run->sim, 1);
	run->log.off = false;
	test_spawn(run->sim, "second", TEST_PROGRAM(1, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim),
			    "init_task fork runnable() enqueue() "
			    "stopping() quiescent(sleep) dispatch(asleep) running exit_task "
			    "stopping() quiescent(sleep) dispatch(asleep) idle exit_task");
}

static void alone_it_keeps_the_cpu(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);

	test_spawn(run->sim, "hog", TEST_PROGRAM(1, RUN_MS(50)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim),
			    "init_task fork runnable() busy running "
			    "dispatch(runnable) dispatch(runnable) "
			    "stopping() quiescent(sleep) dispatch(asleep) idle exit_task");
}

/* Into the shared queue and back, by way of the idle loop. */
static void with_enq_last_it_is_enqueued(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_last);

	test_spawn(run->sim, "hog", TEST_PROGRAM(1, RUN_MS(25)));
	assert_int_equal(sim_run(run->sim, 23ULL * MS), -ETIMEDOUT);
	assert_string_equal(log_take(run->sim), "init_task fork runnable() busy running "
						"dispatch(runnable) stopping(runnable) "
						"enqueue(last) idle");
	assert_true(cpu_is_idle(run->sim, 0)); /* nobody kicked it */
	assert_int_equal(kernel_nr_queued(run->sim, TEST_DSQ), 1);
}

static void gives_slice_in_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	log_dispatch(sim, cpu, prev);
	if (prev && task_view(prev)->queued)
		task_set_slice(sim, prev, 100ULL * MS);
}

static void slice_in_dispatch_keeps_it_running(void **state)
{
	static const struct sim_policy policy = { LOG_POLICY, .dispatch = gives_slice_in_dispatch,
						  .ops_flags = SIM_OPS_ENQ_LAST };
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy);

	test_spawn(run->sim, "hog", TEST_PROGRAM(1, RUN_MS(50)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim),
			    "init_task fork runnable() busy running dispatch(runnable) "
			    "stopping() quiescent(sleep) dispatch(asleep) idle exit_task");
}

static void next_is_chosen_before_prev_is_enqueued(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_last);

	run->log.off = true;
	test_spawn(run->sim, "first", TEST_PROGRAM(1, RUN_MS(50)));
	test_pass(run->sim, 1);
	test_spawn(run->sim, "second", TEST_PROGRAM(1, RUN_MS(50)));
	test_pass(run->sim, 1);
	run->log.off = false;
	test_pass(run->sim, 20);
	assert_string_equal(log_take(run->sim),
			    "dispatch(runnable) stopping(runnable) enqueue() running");
}

static __u32 nr_in_callback;

static void looks_after_insert(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, p, TEST_DSQ, 0, 0);
	nr_in_callback = kernel_nr_queued(sim, TEST_DSQ);
}

static void insert_happens_after_the_callback(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .enqueue = looks_after_insert };
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy);

	test_spawn(run->sim, "first", TEST_PROGRAM(1, RUN_MS(5)));
	test_pass(run->sim, 1);
	nr_in_callback = 99;
	test_spawn(run->sim, "second", TEST_PROGRAM(1, RUN_MS(5)));
	test_pass(run->sim, 1);
	assert_int_equal(nr_in_callback, 0);
	assert_int_equal(kernel_nr_queued(run->sim, TEST_DSQ), 1);
	assert_ptr_equal(kernel_dsq_first(run->sim, TEST_DSQ),
			 sim_next_task(run->sim, sim_next_task(run->sim, NULL)));
}

static void one_cpu_task_is_not_selected_for(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_log);
	struct task_spec spec = test_spec("bound", TEST_PROGRAM(1, RUN_MS(1)));

	spec.restricted = true;
	CPU_SET(5, &spec.allowed);
	sim_run(run->sim, 0);
	log_take(run->sim);
	sim_spawn(run->sim, NULL, &spec);
	assert_int_equal(sim_run(run->sim, 0), 0);
	/* The woken CPU looks by itself: nobody had to kick it. The kick of enqueue comes late. */
	assert_string_equal(log_take(run->sim),
			    "init_task runnable() enqueue() dispatch() busy running "
			    "stopping() quiescent(sleep) dispatch(asleep) idle exit_task");
	assert_int_equal(task_view(sim_next_task(run->sim, NULL))->cpu, 5);
}

static void slice_of_1_ms(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	log_add(sim, "at %llu", sim_now_ns(sim) / 100000 % 1000);
	kernel_insert(sim, p, TEST_DSQ, 1 * MS, 0);
}

static __s32 select_prev(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return prev;
}

/* At 100 Hz a slice of 1 ms is one of 10 ms. */
static void slice_ends_at_a_tick(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,
						  .enqueue = slice_of_1_ms };
	_cleanup_(test_endp) struct test_run *run = test_run(&policy, 1, 1, 1);
	__u64 first, second, third;

	run->options.hz = 100;
	test_begin(run);
	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(100)));
	test_spawn(run->sim, "b", TEST_PROGRAM(1, RUN_MS(100)));
	test_pass(run->sim, 35);
	assert_int_equal(sscanf(log_take(run->sim), "at 0 at 0 at %llu at %llu at %llu", &first,
				&second, &third),
			 3);
	assert_in_range(first, 10, 110); /* the phase of the tick, but not within the slice */
	assert_int_equal(second - first, 100);
	assert_int_equal(third - second, 100);
}

static void no_slice_is_the_default_slice(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,
						  .enqueue = looks_after_insert };
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy);
	struct sim_task *task = test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(100)));

	test_pass(run->sim, 5);
	assert_in_range(task_view(task)->slice_ns, 15 * MS, 16 * MS);
}

static void log_exit(struct sim *sim)
{
	log_add(sim, "exit");
}

static void tasks_go_before_the_policy(void **state)
{
	static const struct sim_policy policy = { LOG_POLICY, .exit = log_exit };
	struct test_run *run = test_run_one_cpu(&policy);

	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(50)));
	test_pass(run->sim, 1);
	log_take(run->sim);
	run->sim = sim_free(run->sim);
	run->log.text[run->log.used] = '\0';
	assert_string_equal(run->log.text, "exit_task exit");
	test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_task),
		cmocka_unit_test(busy_cpu_means_enqueue_and_dispatch),
		cmocka_unit_test(alone_it_keeps_the_cpu),
		cmocka_unit_test(with_enq_last_it_is_enqueued),
		cmocka_unit_test(slice_in_dispatch_keeps_it_running),
		cmocka_unit_test(next_is_chosen_before_prev_is_enqueued),
		cmocka_unit_test(insert_happens_after_the_callback),
		cmocka_unit_test(one_cpu_task_is_not_selected_for),
		cmocka_unit_test(slice_ends_at_a_tick),
		cmocka_unit_test(no_slice_is_the_default_slice),
		cmocka_unit_test(tasks_go_before_the_policy),
	};

	return cmocka_run_group_tests_name("kernel order", tests, NULL, NULL);
}
