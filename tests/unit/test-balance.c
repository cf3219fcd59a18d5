/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/env-table.h"

#include "bpf/policy/balance.h"
#include "bpf/policy/deadline.h"
#include "bpf/policy/slice.h"

static void nearest_queue_is_robbed(void **state)
{
	struct env env = table_machine(4, 2, 2);

	env.domains[0].nr_queued = env.domains[3].nr_queued = 1;
	assert_int_equal(balance_steal(&env, 2), 3);
	assert_int_equal(env.taken_from, domain_queue(3));
	assert_int_equal(balance_steal(&env, 2), 0);
	assert_int_equal(balance_steal(&env, 2), DONOR_NONE);
}

static void stealing_has_its_switch(void **state)
{
	struct env env = table_machine(2, 2, 2);

	env.params.steal = 0;
	env.domains[0].nr_queued = 1;
	assert_int_equal(balance_steal(&env, 1), DONOR_NONE);
	assert_int_equal(env.domains[0].nr_queued, 1);
	assert_int_equal(balance_thief(&env, 0), -1);
}

static void an_idle_cpu_next_door_is_woken(void **state)
{
	struct env env = table_machine(2, 2, 2);

	table_busy(&env, 0, 7);
	assert_int_equal(balance_thief(&env, 0), 7);
	table_busy(&env, 7, 8);
	assert_int_equal(balance_thief(&env, 0), -1);
}

static void sharing_a_core_is_left_for_a_whole_one(void **state)
{
	struct env env = table_machine(2, 2, 2);

	table_busy(&env, 0, 4);
	assert_true(balance_should_replace(&env, &env.states[0]));
	assert_false(balance_should_replace(&env, &env.states[0])); /* once per interval */
	env.now_ns += env.params.replace_interval_ns;
	assert_true(balance_should_replace(&env, &env.states[0]));
}

static void a_core_of_its_own_is_kept(void **state)
{
	struct env env = table_machine(2, 2, 2);

	table_busy(&env, 0, 1);
	assert_false(balance_should_replace(&env, &env.states[0]));
}

static void nothing_better_means_stay(void **state)
{
	struct env env = table_machine(2, 2, 2);

	table_busy(&env, 0, 8);
	assert_false(balance_should_replace(&env, &env.states[0]));
	env.idle[4] = true;
	env_recount(&env);
	assert_false(balance_should_replace(&env, &env.states[0]));
}

static void replacing_next_door_is_donation(void **state)
{
	struct env env = table_machine(2, 2, 2);

	table_busy(&env, 0, 4);
	env.params.donate_enqueue = 0;
	assert_false(balance_should_replace(&env, &env.states[0]));
	env.idle[2] = env.idle[3] = true; /* at home it is not */
	env_recount(&env);
	assert_true(balance_should_replace(&env, &env.states[0]));
}

static void slice_shrinks_with_the_queue(void **state)
{
	struct env env = table_machine(1, 2, 2);

	assert_int_equal(slice_ns(&env, &env.states[0], &env.domains[0]), env.params.slice_max_ns);
	env.domains[0].nr_queued = 16;
	assert_int_equal(slice_ns(&env, &env.states[0], &env.domains[0]),
			 env.params.slice_target_ns * 4 / 16);
	env.domains[0].nr_queued = 100000;
	assert_int_equal(slice_ns(&env, &env.states[0], &env.domains[0]), env.params.slice_min_ns);
}

static void weight_slows_virtual_time(void **state)
{
	struct donor_task light, heavy;

	task_init(&light);
	task_init(&heavy);
	task_charge(&light, 1000000, DONOR_WEIGHT_ONE);
	task_charge(&heavy, 1000000, 2 * DONOR_WEIGHT_ONE);
	assert_int_equal(light.vtime_ns, 2 * heavy.vtime_ns);
	task_charge(&light, 1000000, 0); /* no such weight: no trap */
}

static void a_runner_is_seen_before_it_sleeps(void **state)
{
	struct donor_task task;

	task_init(&task);
	task_charge(&task, 5000000, DONOR_WEIGHT_ONE);
	task_charge(&task, 9000000, DONOR_WEIGHT_ONE);
	assert_int_equal(task.avg_run_ns, 9000000);
	task_sleep(&task, 1000000000);
	assert_int_equal(task.avg_run_ns, 9000000);
	task_charge(&task, 9100000, DONOR_WEIGHT_ONE);
	task_sleep(&task, 1000000000);
	assert_true(task.avg_run_ns < 9000000);
}

static void sleeper_credit_is_bounded(void **state)
{
	struct env env = table_machine(1, 2, 2);

	env.task.domain = 0;
	env.domains[0].vtime_ns = 5000000000;
	env.task.vtime_ns = 0;
	deadline_key(&env);
	assert_int_equal(env.task.vtime_ns, 5000000000 - env.params.sleeper_credit_ns);
	env.task.vtime_ns = 5050000000;
	assert_int_equal(deadline_key(&env), 5050000000 + env.params.latency_max_ns);
}

/* khugepaged, weight 1, was ejected as stalled: a slice cost it half a second of virtual time. */
static void debt_is_bounded(void **state)
{
	struct env env = table_machine(1, 2, 2);

	env.task.domain = 0;
	env.domains[0].vtime_ns = 5000000000;
	env.task.vtime_ns = 5000000000;
	task_charge(&env.task, 5000000, 1);
	deadline_key(&env);
	assert_int_equal(env.task.vtime_ns, 5000000000 + env.params.debt_max_ns);
}

static void lag_travels_with_the_task(void **state)
{
	struct env env = table_machine(2, 2, 2);

	env.domains[0].vtime_ns = 1000;
	env.domains[1].vtime_ns = (__u64)-500; /* clocks wrap */
	deadline_enter(&env, 0); /* new: no credit, no debt */
	assert_int_equal(env.task.vtime_ns, 1000);
	env.task.vtime_ns += 70;
	deadline_enter(&env, 1);
	assert_int_equal(env.task.vtime_ns, (__u64)-430);
	deadline_advance(&env.task, &env.domains[1]);
	assert_int_equal(env.domains[1].vtime_ns, (__u64)-430);
	deadline_enter(&env, 0);
	assert_int_equal(env.task.vtime_ns, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_queue_is_robbed),
		cmocka_unit_test(stealing_has_its_switch),
		cmocka_unit_test(an_idle_cpu_next_door_is_woken),
		cmocka_unit_test(sharing_a_core_is_left_for_a_whole_one),
		cmocka_unit_test(a_core_of_its_own_is_kept),
		cmocka_unit_test(nothing_better_means_stay),
		cmocka_unit_test(replacing_next_door_is_donation),
		cmocka_unit_test(slice_shrinks_with_the_queue),
		cmocka_unit_test(weight_slows_virtual_time),
		cmocka_unit_test(a_runner_is_seen_before_it_sleeps),
		cmocka_unit_test(sleeper_credit_is_bounded),
		cmocka_unit_test(debt_is_bounded),
		cmocka_unit_test(lag_travels_with_the_task),
	};

	return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
