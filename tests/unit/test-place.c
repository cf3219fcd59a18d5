/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/env-table.h"

#include "bpf/policy/place.h"

/* 2 caches x 2 cores x 2 threads: CPUs 0-3 and 4-7. */
static struct env two_by_two(void)
{
	return table_machine(2, 2, 2);
}

static void check(struct placement p, __s32 cpu, enum place_exit exit, bool claimed)
{
	assert_int_equal(p.exit, exit);
	assert_int_equal(p.cpu, cpu);
	assert_int_equal(p.claimed, claimed);
}

static void previous_core_comes_first(void **state)
{
	struct env env = two_by_two();

	check(place(&env, DONOR_HOOK_SELECT_CPU, 2, false), 2, PLACE_PREV_CORE, true);
	assert_false(env.idle[2]);
}

static void whole_core_at_home_beats_half_the_previous_one(void **state)
{
	struct env env = two_by_two();

	table_busy(&env, 1, 2); /* sibling of CPU 0 */
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 2, PLACE_DOMAIN_CORE, true);
}

static void long_task_goes_next_door_rather_than_share(void **state)
{
	struct env env = two_by_two();
	struct placement p;

	table_busy(&env, 1, 3); /* half of each core at home */
	p = place(&env, DONOR_HOOK_SELECT_CPU, 0, false);
	check(p, 4, PLACE_DONATED, true);
	assert_int_equal(p.donation, DONATE_OK);
	assert_true(env.idle[0]);
	assert_int_equal(env.domains[0].nr_given, 1);
	assert_int_equal(env.domains[1].nr_taken, 1);
	assert_int_equal(env.task.donated_at_ns, env.now_ns);
}

static void short_task_shares_at_home(void **state)
{
	struct env env = two_by_two();
	struct placement p;

	env.task.avg_run_ns = 50 * 1000;
	table_busy(&env, 1, 3);
	p = place(&env, DONOR_HOOK_SELECT_CPU, 0, false);
	check(p, 0, PLACE_PREV_THREAD, true);
	assert_int_equal(p.donation, DONATE_SHORT);
	table_busy(&env, 0, 1);
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 3, PLACE_DOMAIN_THREAD, true);
}

/* CPU 0 runs the waker, CPU 2 a hog, beside which the task ran before; next door all is busy. */
static struct env woken_where_no_core_is_idle(void)
{
	struct env env = two_by_two();

	table_busy(&env, 0, 1);
	table_busy(&env, 2, 3);
	table_busy(&env, 4, 8);
	env.now_ns = 100 * 1000 * 1000;
	env.states[0].running_since_ns = env.now_ns - 2 * 1000 * 1000;
	env.states[0].running_rests = true;
	env.has_waker = true;
	env.waker = (struct donor_task){
		.run_ns = 2 * 1000 * 1000,
		.avg_run_ns = 5 * 1000 * 1000,
	};
	return env;
}

static void beside_a_waker_that_is_about_to_sleep(void **state)
{
	struct env env = woken_where_no_core_is_idle();

	check(place(&env, DONOR_HOOK_SELECT_CPU, 3, false), 1, PLACE_BESIDE_WAKER, true);
	env = woken_where_no_core_is_idle();
	env.has_waker = false; /* it says so: no need to ask */
	check(place(&env, DONOR_HOOK_SELECT_CPU, 3, true), 1, PLACE_BESIDE_WAKER, true);
}

static void not_beside_a_waker_that_goes_on(void **state)
{
	struct env begun = woken_where_no_core_is_idle(), hog = begun, enqueued = begun;

	begun.waker.run_ns = 0;
	hog.states[0].running_rests = false;
	check(place(&begun, DONOR_HOOK_SELECT_CPU, 3, false), 3, PLACE_PREV_THREAD, true);
	check(place(&hog, DONOR_HOOK_SELECT_CPU, 3, false), 3, PLACE_PREV_THREAD, true);
	check(place(&enqueued, DONOR_HOOK_ENQUEUE, 3, false), 3, PLACE_PREV_THREAD, true);
}

static void not_where_the_core_will_be_shared_or_may_not_be_used(void **state)
{
	struct env busy = woken_where_no_core_is_idle(), masked = busy;

	table_busy(&busy, 1, 2);
	check(place(&busy, DONOR_HOOK_SELECT_CPU, 3, true), 3, PLACE_PREV_THREAD, true);
	masked.allowed[1] = false;
	check(place(&masked, DONOR_HOOK_SELECT_CPU, 3, true), 3, PLACE_PREV_THREAD, true);
}

static void beside_a_waker_next_door_as_donation_would(void **state)
{
	struct env far = woken_where_no_core_is_idle(), brief = far, slow = far, off = far;

	far.idle[7] = true; /* so that home is there */
	env_recount(&far);
	brief = slow = off = far;
	check(place(&far, DONOR_HOOK_SELECT_CPU, 7, true), 1, PLACE_BESIDE_WAKER, true);
	brief.task.avg_run_ns = 50 * 1000;
	check(place(&brief, DONOR_HOOK_SELECT_CPU, 7, true), 7, PLACE_PREV_THREAD, true);
	off.params.donate_select_cpu = 0;
	check(place(&off, DONOR_HOOK_SELECT_CPU, 7, true), 7, PLACE_PREV_THREAD, true);
	slow.topology[1].kind = 1;
	check(place(&slow, DONOR_HOOK_SELECT_CPU, 7, true), 7, PLACE_PREV_THREAD, true);
}

static void beside_who_took_its_cpu_if_that_one_rests(void **state)
{
	struct env rests = woken_where_no_core_is_idle(), hog = rests, masked = rests;

	rests.idle[1] = hog.idle[1] = masked.idle[1] = true;
	check(place(&rests, DONOR_HOOK_ENQUEUE, 0, false), 1, PLACE_DOMAIN_THREAD, true);
	hog.states[0].running_rests = false;
	hog.states[2].running_rests = true;
	hog.states[2].running_since_ns = hog.now_ns;
	check(place(&hog, DONOR_HOOK_ENQUEUE, 2, false), 3, PLACE_DOMAIN_THREAD, true);
	masked.allowed[1] = false;
	check(place(&masked, DONOR_HOOK_ENQUEUE, 0, false), 3, PLACE_DOMAIN_THREAD, true);
}

static void short_task_leaves_rather_than_wait(void **state)
{
	struct env env = two_by_two();

	env.task.avg_run_ns = 50 * 1000;
	table_busy(&env, 0, 4);
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 4, PLACE_DONATED, true);
}

static void full_machine_queues_at_home(void **state)
{
	struct env env = two_by_two();
	struct placement p;

	table_busy(&env, 0, 8);
	p = place(&env, DONOR_HOOK_ENQUEUE, 6, false);
	check(p, 6, PLACE_QUEUED, false);
	assert_int_equal(p.donation, DONATE_NO_CORE);
}

static void each_switch_stops_its_own_hook(void **state)
{
	struct env env = two_by_two();

	table_busy(&env, 0, 4);
	env.params.donate_select_cpu = 0;
	assert_int_equal(place(&env, DONOR_HOOK_SELECT_CPU, 0, false).donation, DONATE_OFF);
	assert_int_equal(env.domains[0].nr_given, 0);
	assert_int_equal(place(&env, DONOR_HOOK_ENQUEUE, 0, false).donation, DONATE_OK);
	env.params.donate_select_cpu = 1;
	env.params.donate_enqueue = 0;
	env.task.donated_at_ns = 0;
	assert_int_equal(place(&env, DONOR_HOOK_ENQUEUE, 0, false).donation, DONATE_OFF);
	assert_int_equal(place(&env, DONOR_HOOK_SELECT_CPU, 0, false).donation, DONATE_OK);
}

static void pinned_task_stays(void **state)
{
	struct env env = two_by_two();

	env.pinned = true;
	check(place(&env, DONOR_HOOK_ENQUEUE, 1, false), 1, PLACE_PINNED, true);
	check(place(&env, DONOR_HOOK_ENQUEUE, 1, false), 1, PLACE_PINNED, false);
}

/* A short task that may run on CPU 0 alone, which runs another that sleeps often. */
static struct env pinned_beside_a_rester(void)
{
	struct env env = two_by_two();

	env.pinned = true;
	env.task.avg_run_ns = 50 * 1000;
	table_busy(&env, 0, 1);
	env.states[0].running_since_ns = env.now_ns;
	env.states[0].running_rests = true;
	return env;
}

static void pinned_task_is_next_after_one_that_rests(void **state)
{
	struct env env = pinned_beside_a_rester();

	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_AFTER_RESTER, false);
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
	env.states[0].handed_over = false; /* as the next that runs has it */
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_AFTER_RESTER, false);
}

/* Where others wait, or the wait may be long, or the task keeps others waiting, there is an order. */
static void pinned_task_queues_where_order_counts(void **state)
{
	struct env env = pinned_beside_a_rester(), changed = env;

	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 0, PLACE_PINNED, false);
	env.states[0].nr_queued = 1;
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
	env = changed;
	env.domains[0].nr_queued = 1;
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
	env = changed;
	env.states[0].running_rests = false;
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
	env = changed;
	env.states[0].running_since_ns = 0;
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
	env = changed;
	env.task.avg_run_ns = env.params.donate_min_run_ns;
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
	env = changed;
	env.params.sync_handover = 0;
	check(place(&env, DONOR_HOOK_ENQUEUE, 0, false), 0, PLACE_PINNED, false);
}

static void mask_holds_for_every_choice(void **state)
{
	struct env env = two_by_two();

	env.allowed[0] = env.allowed[4] = false; /* the mask changed under the task */
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 1, PLACE_PREV_CORE, true);
	table_busy(&env, 0, 4);
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 5, PLACE_DONATED, true);
	table_busy(&env, 0, 8);
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 1, PLACE_QUEUED_CPU, false);
}

static void without_smt_a_thread_is_a_core(void **state)
{
	struct env env = table_machine(2, 4, 1);

	table_busy(&env, 0, 4);
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 4, PLACE_DONATED, true);
}

static void one_domain_has_nowhere_to_give(void **state)
{
	struct env env = table_machine(1, 1, 1);

	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 0, PLACE_PREV_CORE, true);
	check(place(&env, DONOR_HOOK_SELECT_CPU, 0, false), 0, PLACE_QUEUED, false);
}

static void running_task_moves_only_to_a_whole_core(void **state)
{
	struct env env = two_by_two();

	table_busy(&env, 0, 3); /* CPU 3 is idle, its sibling busy */
	check(place_again(&env, 0), 4, PLACE_DONATED, true);
	table_busy(&env, 4, 8);
	check(place_again(&env, 0), 0, PLACE_KEPT, false);
	assert_true(env.idle[3]);
	env.pinned = true;
	env.idle[6] = env.idle[7] = true;
	check(place_again(&env, 0), 0, PLACE_KEPT, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(previous_core_comes_first),
		cmocka_unit_test(whole_core_at_home_beats_half_the_previous_one),
		cmocka_unit_test(long_task_goes_next_door_rather_than_share),
		cmocka_unit_test(short_task_shares_at_home),
		cmocka_unit_test(beside_a_waker_that_is_about_to_sleep),
		cmocka_unit_test(not_beside_a_waker_that_goes_on),
		cmocka_unit_test(not_where_the_core_will_be_shared_or_may_not_be_used),
		cmocka_unit_test(beside_a_waker_next_door_as_donation_would),
		cmocka_unit_test(beside_who_took_its_cpu_if_that_one_rests),
		cmocka_unit_test(short_task_leaves_rather_than_wait),
		cmocka_unit_test(full_machine_queues_at_home),
		cmocka_unit_test(each_switch_stops_its_own_hook),
		cmocka_unit_test(pinned_task_stays),
		cmocka_unit_test(pinned_task_is_next_after_one_that_rests),
		cmocka_unit_test(pinned_task_queues_where_order_counts),
		cmocka_unit_test(mask_holds_for_every_choice),
		cmocka_unit_test(without_smt_a_thread_is_a_core),
		cmocka_unit_test(one_domain_has_nowhere_to_give),
		cmocka_unit_test(running_task_moves_only_to_a_whole_core),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
