/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/env-table.h"

#include "bpf/policy/donate.h"

/* The giver is crowded, or nobody would ask. */
static enum donate_exit give(struct env *env, __u32 from, __s32 *ret_cpu)
{
	*ret_cpu = -1;
	env->domains[from].nr_idle_cpus = env->domains[from].nr_idle_cores = 0;
	return donate(env, DONOR_HOOK_SELECT_CPU, DONATE_FOR_CORE, from, ret_cpu);
}

static void nearest_recipient_gets_it(void **state)
{
	struct env env = table_machine(4, 2, 2);
	__s32 cpu;

	assert_int_equal(give(&env, 1, &cpu), DONATE_OK);
	assert_int_equal(cpu, 8); /* domain 2, the next one round */
	env.task.donated_at_ns = 0;
	table_busy(&env, 8, 12);
	assert_int_equal(give(&env, 1, &cpu), DONATE_OK);
	assert_int_equal(cpu, 12);
}

static void first_success_ends_the_walk(void **state)
{
	struct env env = table_machine(4, 2, 2);
	unsigned nr_idle = 0;
	__s32 cpu;

	assert_int_equal(give(&env, 0, &cpu), DONATE_OK);
	for (unsigned i = 0; i < env.nr_cpus; i++)
		nr_idle += env.idle[i];
	assert_int_equal(nr_idle, env.nr_cpus - 1);
}

static void half_idle_cores_do_not_count(void **state)
{
	struct env env = table_machine(2, 2, 2);
	__s32 cpu;

	table_busy(&env, 4, 5);
	table_busy(&env, 7, 8);
	assert_int_equal(give(&env, 0, &cpu), DONATE_NO_CORE);
	assert_int_equal(cpu, -1);
}

static void lost_race_is_told_apart(void **state)
{
	struct env env = table_machine(2, 2, 2);
	__s32 cpu;

	env.idle[4] = env.idle[5] = env.idle[6] = env.idle[7] =
		false; /* the hints do not know yet */
	assert_int_equal(give(&env, 0, &cpu), DONATE_RACE);
}

static void distance_and_walk_are_bounds(void **state)
{
	struct env env = table_machine(4, 2, 2);
	__s32 cpu;

	env.params.donate_max_distance = DONOR_DISTANCE_CACHE;
	assert_int_equal(give(&env, 0, &cpu), DONATE_NO_CORE);
	env.params.donate_max_distance = DONOR_DISTANCE_NODE;
	env.params.donate_max_walk = 1;
	table_busy(&env, 4, 8);
	assert_int_equal(give(&env, 0, &cpu), DONATE_NO_CORE);
	env.params.donate_max_walk = 2;
	assert_int_equal(give(&env, 0, &cpu), DONATE_OK);
}

static void a_task_given_away_cools_down(void **state)
{
	struct env env = table_machine(2, 2, 2);
	__s32 cpu;

	assert_int_equal(give(&env, 0, &cpu), DONATE_OK);
	env.now_ns += env.params.donate_cooldown_ns - 1;
	assert_int_equal(give(&env, 1, &cpu), DONATE_COOLING);
	env.now_ns++;
	env_recount(&env);
	assert_int_equal(give(&env, 1, &cpu), DONATE_OK);
}

static void fresh_task_is_not_short(void **state)
{
	struct env env = table_machine(2, 2, 2);
	__s32 cpu;

	env.task.avg_run_ns = 0;
	assert_int_equal(give(&env, 0, &cpu), DONATE_SHORT);
	env.task.nr_runs = 0;
	assert_int_equal(give(&env, 0, &cpu), DONATE_OK);
}

static void kind_of_core_is_crossed_upwards_only(void **state)
{
	struct env env = table_machine(2, 2, 2);
	__s32 cpu;

	env.topology[1].kind = 1;
	assert_int_equal(give(&env, 0, &cpu), DONATE_KIND);
	env.params.donate_cross_kind = 1;
	assert_int_equal(give(&env, 1, &cpu), DONATE_NO_CORE); /* that is crowded too */
	env_recount(&env);
	assert_int_equal(give(&env, 1, &cpu), DONATE_KIND);
	env_recount(&env);
	assert_int_equal(give(&env, 0, &cpu), DONATE_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_recipient_gets_it),
		cmocka_unit_test(first_success_ends_the_walk),
		cmocka_unit_test(half_idle_cores_do_not_count),
		cmocka_unit_test(lost_race_is_told_apart),
		cmocka_unit_test(distance_and_walk_are_bounds),
		cmocka_unit_test(a_task_given_away_cools_down),
		cmocka_unit_test(fresh_task_is_not_short),
		cmocka_unit_test(kind_of_core_is_crossed_upwards_only),
	};

	return cmocka_run_group_tests_name("donate", tests, NULL, NULL);
}
