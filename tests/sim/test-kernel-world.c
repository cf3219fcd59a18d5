/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* What happens to a policy from outside: CLASS_RT, hotplug, masks and weights that change. */

static const struct sim_policy policy_fifo_queue = { FIFO_POLICY };
static const struct sim_policy policy_log = { LOG_POLICY };

static struct sim_task *spawn_on(struct sim *sim, const char *name, __s32 cpu,
				 enum sched_class class, struct test_program *program)
{
	struct task_spec spec = test_spec(name, program);

	spec.sched_class = class;
	spec.restricted = true;
	CPU_SET(cpu, &spec.allowed);
	return sim_spawn(sim, NULL, &spec);
}

static void rt_takes_the_cpu_and_gives_it_back(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);
	struct sim_task *fair = test_spawn(run->sim, "fair", TEST_PROGRAM(1, RUN_MS(10)));
	struct sim_task *rt;

	test_pass(run->sim, 1);
	log_take(run->sim);
	rt = spawn_on(run->sim, "rt", 0, CLASS_RT, TEST_PROGRAM(1, RUN_MS(50)));
	test_pass(run->sim, 1);
	assert_true(task_view(rt)->running);
	assert_false(task_view(fair)->running);
	assert_int_equal(cpu_nr_local(run->sim, 0), 1); /* waits there, whatever else is idle */
	assert_null(kernel_cpu_curr(run->sim, 0));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim),
			    "init_task stopping(runnable) running exit_task "
			    "stopping() quiescent(sleep) dispatch(asleep) idle exit_task");
}

static void rt_wakes_an_idle_cpu(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	spawn_on(run->sim, "rt", 3, CLASS_RT, TEST_PROGRAM(3, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_in_range(sim_now_ns(run->sim), 3 * MS, 3 * MS + 10000);
}

static void kick_does_not_preempt_rt(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct sim_task *rt = spawn_on(run->sim, "rt", 0, CLASS_RT, TEST_PROGRAM(1, RUN_MS(5)));

	test_pass(run->sim, 1);
	kernel_kick_cpu(run->sim, 0, SIM_KICK_PREEMPT);
	test_pass(run->sim, 1);
	assert_true(task_view(rt)->running);
}

static void second_rt_waits_for_the_first(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);

	spawn_on(run->sim, "rt", 0, CLASS_RT, TEST_PROGRAM(1, RUN_MS(5)));
	spawn_on(run->sim, "rt", 0, CLASS_RT, TEST_PROGRAM(1, RUN_MS(5)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_in_range(sim_now_ns(run->sim), 10 * MS, 10 * MS + 20000);
}

static __s32 select_prev_local(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	kernel_insert(sim, p, SIM_DSQ_LOCAL, 0, 0);
	return prev;
}

/* All stand in line on CPU 0; when it goes, they have to leave, the running one as well. */
static void tasks_leave_an_offline_cpu(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev_local };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	for (unsigned i = 0; i < 4; i++)
		test_spawn(run->sim, "worker", TEST_PROGRAM(1, RUN_MS(10)));
	test_pass(run->sim, 1);
	assert_int_equal(cpu_nr_local(run->sim, 0), 3);
	sim_set_online(run->sim, 0, false);
	test_pass(run->sim, 1);
	assert_false(cpu_is_online(run->sim, 0));
	assert_int_equal(cpu_nr_local(run->sim, 0), 0);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_in_range(sim_now_ns(run->sim), 11 * MS - 100000, 12 * MS);
}

static void cpu_comes_back_and_works(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct sim_task *task;

	sim_set_online(run->sim, 6, false);
	sim_run(run->sim, 0);
	assert_false(kernel_test_idle(run->sim, 6));
	sim_set_online(run->sim, 6, true);
	sim_run(run->sim, 0);
	assert_true(cpu_is_online(run->sim, 6));
	assert_true(kernel_test_idle(run->sim, 6));
	task = spawn_on(run->sim, "worker", 6, CLASS_FAIR, TEST_PROGRAM(1, RUN_MS(1)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_int_equal(task_view(task)->cpu, 6);
}

static void comes(struct sim *sim, __s32 cpu)
{
	log_add(sim, "%d comes, %s", cpu, cpu_is_online(sim, cpu) ? "online" : "offline");
}

static void goes(struct sim *sim, __s32 cpu)
{
	log_add(sim, "%d goes, %s", cpu, cpu_is_online(sim, cpu) ? "online" : "offline");
}

static void policy_hears_of_hotplug(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .cpu_online = comes,
						  .cpu_offline = goes };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);

	sim_set_online(run->sim, 6, false);
	sim_set_online(run->sim, 6, false); /* it is already */
	sim_set_online(run->sim, 6, true);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_string_equal(log_take(run->sim), "6 goes, offline 6 comes, online");
}

static void last_cpu_stays(void **state)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run_one_cpu(&policy_fifo_queue);

	sim_set_online(run->sim, 0, false);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_true(cpu_is_online(run->sim, 0));
}

/* The kernel breaks the mask of a task that could run nowhere. */
static void bound_task_survives_its_cpu(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct sim_task *task =
		spawn_on(run->sim, "bound", 6, CLASS_FAIR, TEST_PROGRAM(1, RUN_MS(10)));

	test_pass(run->sim, 1);
	sim_set_online(run->sim, 6, false);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_int_not_equal(task_view(task)->cpu, 6);
	assert_int_equal(task_view(task)->nr_allowed, 8);
}

static void allow_only(struct sim *sim, struct sim_task *task, __s32 cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	sim_set_allowed(sim, task, &mask);
}

static void running_task_leaves_when_no_longer_allowed(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);
	struct sim_task *task = test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(10)));

	test_pass(run->sim, 1);
	sim_set_online(run->sim, 1, true);
	test_pass(run->sim, 1);
	log_take(run->sim);
	allow_only(run->sim, task, 1);
	test_pass(run->sim, 1);
	assert_int_equal(task_view(task)->cpu, 1);
	assert_true(task_view(task)->running);
	assert_string_equal(log_take(run->sim),
			    "stopping() quiescent() runnable() running " /* change */
			    "stopping(runnable) enqueue() dispatch() idle " /* stopper */
			    "dispatch() busy running");
}

static void queued_task_moves_when_no_longer_allowed(void **state)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_prev_local };
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy);
	struct sim_task *task;

	test_spawn(run->sim, "first", TEST_PROGRAM(1, RUN_MS(10)));
	task = test_spawn(run->sim, "second", TEST_PROGRAM(1, RUN_MS(10)));
	test_pass(run->sim, 1);
	assert_true(task_view(task)->queued && !task_view(task)->running);
	allow_only(run->sim, task, 5);
	test_pass(run->sim, 1);
	assert_int_equal(task_view(task)->cpu, 5);
	assert_true(task_view(task)->running);
	assert_int_equal(cpu_nr_local(run->sim, 0), 0);
}

static void sleeping_task_wakes_where_it_may(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_vm8(&policy_fifo_queue);
	struct sim_task *task =
		test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(1), SLEEP_UNTIL_MS(5), RUN_MS(1)));

	test_pass(run->sim, 2);
	allow_only(run->sim, task, 5);
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_int_equal(task_view(task)->cpu, 5);
}

static void nice_changes_the_weight(void **state)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(&policy_log);
	struct sim_task *task = test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(5)));

	test_pass(run->sim, 1);
	log_take(run->sim);
	assert_int_equal(task_view(task)->weight, 100);
	sim_set_nice(run->sim, task, -20);
	test_pass(run->sim, 1);
	assert_int_equal(task_view(task)->weight, 8668);
	assert_true(task_view(task)->running);
	assert_string_equal(log_take(run->sim), "stopping() quiescent() runnable() running");
	sim_set_nice(run->sim, task, 19);
	test_pass(run->sim, 1);
	assert_int_equal(task_view(task)->weight, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rt_takes_the_cpu_and_gives_it_back),
		cmocka_unit_test(rt_wakes_an_idle_cpu),
		cmocka_unit_test(kick_does_not_preempt_rt),
		cmocka_unit_test(second_rt_waits_for_the_first),
		cmocka_unit_test(tasks_leave_an_offline_cpu),
		cmocka_unit_test(cpu_comes_back_and_works),
		cmocka_unit_test(policy_hears_of_hotplug),
		cmocka_unit_test(last_cpu_stays),
		cmocka_unit_test(bound_task_survives_its_cpu),
		cmocka_unit_test(running_task_leaves_when_no_longer_allowed),
		cmocka_unit_test(queued_task_moves_when_no_longer_allowed),
		cmocka_unit_test(sleeping_task_wakes_where_it_may),
		cmocka_unit_test(nice_changes_the_weight),
	};

	return cmocka_run_group_tests_name("kernel world", tests, NULL, NULL);
}
