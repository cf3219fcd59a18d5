/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* What programs may do, when a run ends, and what queues cost. */

static const struct sim_policy policy_fifo_queue = { FIFO_POLICY };
static const struct sim_policy policy_log = { LOG_POLICY };

static void sleep_in_the_past_is_none(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);

	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(1), SLEEP_UNTIL_MS(1), RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim), "init_task fork runnable() busy running stopping() "
						"quiescent(sleep) dispatch(asleep) idle exit_task");
}

static void early_wakeup_counts_for_the_next_block(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct sim_task *task =
		test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(2), BLOCK, RUN_MS(2), BLOCK));

	test_pass(run->sim, 1);
	sim_wake(run->sim, task, NULL, 0);
	sim_wake(run->sim, task, NULL, 0); /* as one */
	assert_int_equal(sim_run(run->sim, 0), -EDEADLK);
	assert_in_range(sim_now_ns(run->sim), 4 * MS, 4 * MS + 10000);
}

/* It is not blocked, it waits for a time: nobody can wake it early. */
static void sleeper_sleeps_on(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct sim_task *task = test_spawn(run->sim, "a", TEST_PROGRAM(1, SLEEP_UNTIL_MS(5)));

	test_pass(run->sim, 1);
	sim_wake(run->sim, task, NULL, 0);
	assert_int_equal(sim_run(run->sim, 4ULL * MS), -ETIMEDOUT);
	assert_int_equal(sim_run(run->sim, 0), 0);
}

static void yield_lets_the_other_run(void **state)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run_one_cpu(&policy_fifo_queue);
	struct sim_task *a = test_spawn(run->sim, "a", TEST_PROGRAM(9, RUN_MS(1), { STEP_YIELD }));
	struct sim_task *b = test_spawn(run->sim, "b", TEST_PROGRAM(9, RUN_MS(1), { STEP_YIELD }));

	test_pass(run->sim, 6);
	assert_true(task_view(a)->sum_exec_ns > 2 * MS);
	assert_true(task_view(b)->sum_exec_ns > 2 * MS);
	assert_int_equal(sim_run(run->sim, 0), 0);
}

static void background_is_not_waited_for(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct task_spec spec = test_spec("for ever", TEST_PROGRAM(0, RUN_MS(1)));

	spec.background = true;
	sim_spawn(run->sim, NULL, &spec);
	test_pass(run->sim, 3); /* alone until the time is over */
	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(2)));
	assert_int_equal(sim_run(run->sim, 100ULL * MS), 0);
	assert_in_range(sim_now_ns(run->sim), 5 * MS, 6 * MS);
}

static struct step fork_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct task_spec child;
	__u32 *nr_forks = data;

	if (!(*nr_forks)--)
		return (struct step){ STEP_EXIT };
	child = test_spec("child", TEST_PROGRAM(1, RUN_MS(1)));
	sim_spawn(sim, task, &child);
	return (struct step){ STEP_RUN, .work_ns = MS };
}

static __s32 birthplace, waker_cpu;
static struct sim_task *waker;

static __s32 select_looks(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	birthplace = prev;
	waker_cpu = kernel_this_cpu(sim);
	waker = kernel_current(sim);
	log_add(sim, wake_flags == SIM_WAKE_FORK		     ? "fork"
		     : wake_flags == (SIM_WAKE_TTWU | SIM_WAKE_SYNC) ? "sync"
								     : "?");
	kernel_insert(sim, p, SIM_DSQ_LOCAL, 0, 0);
	return 7;
}

static const struct sim_policy policy_looks = { FIFO_POLICY, .select_cpu = select_looks };

static void child_is_born_beside_its_parent(void **state)
{
	static const struct program_ops ops = { .next = fork_next };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_looks);
	__u32 nr_forks = 1;
	struct task_spec spec = { .name = "parent", .program = &ops, .data = &nr_forks };
	struct sim_task *parent;

	spec.restricted = true;
	CPU_SET(5, &spec.allowed);
	parent = sim_spawn(run->sim, NULL, &spec);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_int_equal(birthplace, 5);
	assert_int_equal(waker_cpu, 5);
	assert_ptr_equal(waker, parent);
	assert_int_equal(task_view(sim_next_task(run->sim, parent))->cpu, 7);
	assert_string_equal(log_take(run->sim), "fork");
}

struct pair {
	struct sim_task *other;
	__u32 nr_left;
};

static struct step wake_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct pair *pair = data;

	if (!pair->nr_left--)
		return (struct step){ STEP_EXIT };
	sim_wake(sim, pair->other, task, SIM_WAKE_SYNC);
	return (struct step){ STEP_RUN, .work_ns = MS };
}

static void waker_is_the_task_that_wakes(void **state)
{
	static const struct program_ops ops = { .next = wake_next };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_looks);
	struct pair pair = { .nr_left = 1 };
	struct task_spec spec = { .name = "waker", .program = &ops, .data = &pair };
	struct sim_task *task;

	pair.other = test_spawn(run->sim, "other", TEST_PROGRAM(1, BLOCK, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), -EDEADLK);
	spec.restricted = true;
	CPU_SET(5, &spec.allowed);
	log_take(run->sim);
	task = sim_spawn(run->sim, NULL, &spec);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim), "sync");
	assert_ptr_equal(waker, task);
	assert_int_equal(waker_cpu, 5);
}

static void append(struct sim *sim, void *data)
{
	log_add(sim, "%s@%llu", (const char *)data, sim_now_ns(sim));
}

static void calls_come_in_order(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	sim_at(run->sim, 200, append, "c");
	sim_at(run->sim, 100, append, "a");
	sim_at(run->sim, 100, append, "b");
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim), "a@100 b@100 c@200");
}

static void timer_rings(struct sim *sim)
{
	log_add(sim, "%llu", sim_now_ns(sim) / MS);
	kernel_start_timer(sim, 10 * MS);
}

static int starts_timer(struct sim *sim)
{
	kernel_start_timer(sim, 3 * MS);
	kernel_start_timer(sim, 10 * MS); /* instead */
	return fifo_init(sim);
}

static void timer_of_the_policy(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .init = starts_timer,
						  .timer = timer_rings };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(35), BLOCK));
	assert_int_equal(sim_run(run->sim, 0), -EDEADLK); /* the timer wakes nobody */
	assert_string_equal(log_take(run->sim), "10 20 30");
}

static __s32 select_prev(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return prev;
}

static void only_queue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, p, TEST_DSQ, 0, 0);
}

/* Mean time of a job of 10 us, of which each CPU takes 100 from the one queue. */
static double job_us(__u32 nr_cpus)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev,
						  .enqueue = only_queue };
	_cleanup_(test_endp) struct test_run *run = test_run(&policy, 1, nr_cpus, 1);
	struct task_spec spec;

	test_begin(run);
	for (__u32 i = 0; i < 100 * nr_cpus; i++) {
		spec = test_spec("job", TEST_PROGRAM(1, { STEP_RUN, .work_ns = 10000 }));
		spec.born_on = i % nr_cpus;
		sim_spawn(run->sim, NULL, &spec);
	}
	assert_int_equal(sim_run(run->sim, 0), 0);
	return sim_now_ns(run->sim) / 1e3 / 100;
}

/* 1 us for the switch, 0.6 us for a local task or 2.2 us for one of elsewhere; the rest is lock. */
static void one_queue_for_many_is_slow(void **state)
{
	double alone = job_us(1), few = job_us(4), many = job_us(256);

	print_message("# 10 us of work took %.2f us on 1 CPU, %.2f on 4, %.2f on 256\n", alone, few,
		      many);
	assert_float_equal(alone, 10 + 1 + 0.6 + 0.06, 0.2);
	assert_float_equal(few, 10 + 1 + 2.2 + 0.5, 1.0);
	assert_true(many > 3 * few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleep_in_the_past_is_none),
		cmocka_unit_test(early_wakeup_counts_for_the_next_block),
		cmocka_unit_test(sleeper_sleeps_on),
		cmocka_unit_test(yield_lets_the_other_run),
		cmocka_unit_test(background_is_not_waited_for),
		cmocka_unit_test(child_is_born_beside_its_parent),
		cmocka_unit_test(waker_is_the_task_that_wakes),
		cmocka_unit_test(calls_come_in_order),
		cmocka_unit_test(timer_of_the_policy),
		cmocka_unit_test(one_queue_for_many_is_slow),
	};

	return cmocka_run_group_tests_name("kernel program", tests, NULL, NULL);
}
