/* SPDX-License-Identifier: GPL-2.0-only */
/* How a CPU comes to count as idle, without a word from the kernel. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/env-table.h"

#include "bpf/policy/scheduler.h"

/* One domain of two cores, CPU 0 busy. */
static struct env machine(void)
{
	struct env env = table_machine(1, 2, 1);

	table_busy(&env, 0, 1);
	return env;
}

/* The only task of CPU 0, stopped to be placed anew. */
static void enqueue_last(struct env *env)
{
	if (scheduler_enqueue(env, 0, true))
		scheduler_leave_idle(env, 0);
}

static void who_finds_nothing_goes_idle(void **state)
{
	struct env env = machine();

	scheduler_dispatch(&env, 0);
	assert_int_equal(env.counters[DONOR_COUNT_dispatch_nothing], 1);
	assert_int_equal(env.states[0].idle, 1);
	assert_int_equal(env.domains[0].nr_idle_cpus, 2);
	assert_int_equal(env.domains[0].nr_idle_cores, 2);
	assert_int_equal(env.domains[0].last_idle_cpu, 0);
	assert_int_equal(env.kicked_idle, -1);
}

static void who_finds_work_does_not(void **state)
{
	struct env env = machine();

	env.domains[0].nr_queued = 1;
	scheduler_dispatch(&env, 0);
	assert_int_equal(env.states[0].idle, 0);
}

/* A task was counted, but did not come to the queue yet. */
static void work_on_its_way_is_looked_for_again(void **state)
{
	struct env env = machine();

	scheduler_go_idle(&env, 0, &env.states[0], &env.domains[0]);
	assert_int_equal(env.kicked_idle, -1);
	env.domains[0].nr_queued = 1;
	scheduler_go_idle(&env, 0, &env.states[0], &env.domains[0]);
	assert_int_equal(env.kicked_idle, 0);
	assert_int_equal(env.counters[DONOR_COUNT_self_kick], 1);
}

static void the_last_task_leaves_its_cpu_idle(void **state)
{
	struct env env = machine();

	env.states[0].active = false; /* it is to go elsewhere */
	enqueue_last(&env);
	assert_int_equal(env.inserted_at, 1);
	assert_int_equal(env.states[0].idle, 0); /* idle, but out of use */

	env = table_machine(2, 1, 2); /* two domains of one core */
	table_busy(&env, 0, 2);
	enqueue_last(&env);
	assert_int_equal(env.inserted_at, 2);
	assert_int_equal(env.states[0].idle, 1);
	assert_int_equal(env.domains[0].nr_idle_cpus, 1);
}

static void a_task_that_is_kept_does_not(void **state)
{
	struct env env = table_machine(1, 2, 1);

	table_busy(&env, 0, 2);
	enqueue_last(&env);
	assert_int_equal(env.inserted_at, 0);
	assert_int_equal(env.states[0].idle, 0);
}

/* Its task is of a class that is not ours. */
static void the_kernel_is_believed_at_the_second_time(void **state)
{
	struct env env = table_machine(1, 2, 1);

	env.idle[0] = false;
	cpu_look_idle(&env, 0, &env.states[0], &env.domains[0]);
	assert_int_equal(env.states[0].idle, 1);
	env.idle[0] = true; /* it was only on its way to sleep */
	cpu_look_idle(&env, 0, &env.states[0], &env.domains[0]);
	env.idle[0] = false;
	cpu_look_idle(&env, 0, &env.states[0], &env.domains[0]);
	assert_int_equal(env.states[0].idle, 1);
	cpu_look_idle(&env, 0, &env.states[0], &env.domains[0]);
	assert_int_equal(env.states[0].idle, 0);
	assert_int_equal(env.domains[0].nr_idle_cpus, 1);

	env.idle[0] = true;
	cpu_look_idle(&env, 0, &env.states[0], &env.domains[0]);
	assert_int_equal(env.states[0].idle, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_finds_nothing_goes_idle),
		cmocka_unit_test(who_finds_work_does_not),
		cmocka_unit_test(work_on_its_way_is_looked_for_again),
		cmocka_unit_test(the_last_task_leaves_its_cpu_idle),
		cmocka_unit_test(a_task_that_is_kept_does_not),
		cmocka_unit_test(the_kernel_is_believed_at_the_second_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
