/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/env-table.h"

#include "bpf/policy/criticality.h"

enum {
	PERIOD_NS = 1000000,
};

/* The running task, on this CPU, last woke another one a while ago. */
static struct env waking(void)
{
	struct env env = table_machine(1, 2, 1);

	env.has_waker = true;
	env.waker.woke_at_ns = env.now_ns - PERIOD_NS;
	env.states[0].running_since_ns = env.now_ns;
	env.states[0].running_own_criticality = 40;
	env.states[0].running_wakes_anew = true;
	env.task.criticality = 20;
	return env;
}

static void who_wakes_others_is_waited_for(void **state)
{
	struct env env = waking();

	criticality_woken(&env, false);
	assert_int_equal(env.waker.woke_at_ns, env.now_ns);
	assert_true(env.waker.wake_period_ns > 0);
	assert_int_equal(env.task.inherited, 20 / 8);
}

static void who_is_interrupted_has_woken_nobody(void **state)
{
	struct env env = waking();

	env.in_interrupt = true;
	criticality_woken(&env, false);
	assert_int_equal(env.waker.woke_at_ns, env.now_ns - PERIOD_NS);
	assert_int_equal(env.waker.wake_period_ns, 0);
	assert_int_equal(env.task.inherited, 0);
	assert_true(env.states[0].running_wakes_anew);
}

static void nobody_waits_for_the_end_of_a_long_run(void **state)
{
	struct donor_task task = { .sleep_period_ns = PERIOD_NS, .avg_run_ns = PERIOD_NS / 10 };
	__u32 own = criticality_own(&task, DONOR_WEIGHT_ONE);

	assert_true(criticality_of_long_run(&task, DONOR_WEIGHT_ONE) <= CRITICALITY_LEAST);
	assert_true(own >= CRITICALITY_LEAST + 16);
	task.wake_period_ns = PERIOD_NS; /* but others for what it wakes meanwhile */
	assert_int_equal(criticality_of_long_run(&task, DONOR_WEIGHT_ONE),
			 criticality_of_period(PERIOD_NS) + log2_u64(DONOR_WEIGHT_ONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_wakes_others_is_waited_for),
		cmocka_unit_test(who_is_interrupted_has_woken_nobody),
		cmocka_unit_test(nobody_waits_for_the_end_of_a_long_run),
	};

	return cmocka_run_group_tests_name("criticality", tests, NULL, NULL);
}
