/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/sim/fake.h"
#include "tests/sim/histogram.h"
#include "tests/sim/metrics.h"

struct run {
	struct sim *sim;
	struct metrics *metrics;
	struct metrics_result result;
};

static int setup(void **state)
{
	struct run *run = test_calloc(1, sizeof(*run));

	run->sim = fake_new();
	*state = run;
	return metrics_new(run->sim, &run->metrics);
}

static int teardown(void **state)
{
	struct run *run = *state;

	metrics_free(run->metrics);
	fake_free(run->sim);
	test_free(run);
	return 0;
}

static struct sim_task *runs(struct run *run, const char *name, __s32 cpu, __u64 cpus,
			     bool background)
{
	struct sim_task *task = fake_task(run->sim, name, cpus, background);

	fake_wake(run->sim, task);
	fake_run(run->sim, task, cpu);
	return task;
}

static void finish(struct run *run, __u64 time_us)
{
	fake_at(run->sim, time_us);
	metrics_finish(run->metrics, &run->result);
}

#define assert_near(value, expected) assert_double_equal(value, expected, 1e-6)

static void sharing_is_waste_while_a_core_is_idle(void **state)
{
	struct run *run = *state;
	struct sim_task *a = runs(run, "a", 0, 0, false);

	fake_at(run->sim, 1000); /* 1 ms alone */
	runs(run, "b", 1, 0, false);
	fake_at(run->sim, 2000); /* 2 x 1 ms beside each other, three cores idle */
	runs(run, "c", 2, 0, false);
	runs(run, "d", 4, 0, false);
	runs(run, "e", 6, 0, false);
	fake_at(run->sim, 3000); /* 5 x 1 ms, two of them shared, no core idle */
	fake_stop(run->sim, a, false);
	fake_idle(run->sim, 0);
	finish(run, 4000); /* 4 x 1 ms alone */
	assert_near(run->result.shared_core_time, 4.0 / 12);
	assert_near(run->result.shared_core_waste, 2.0 / 12);
}

static void a_core_that_may_not_be_used_is_no_alternative(void **state)
{
	struct run *run = *state;
	struct sim_task *a = runs(run, "a", 0, 0x3, false), *b = runs(run, "b", 1, 0x7, false);

	fake_at(run->sim, 1000); /* b could go to CPU 2 */
	fake_stop(run->sim, b, false);
	fake_idle(run->sim, 1);
	finish(run, 2000);
	assert_near(run->result.shared_core_waste, 1.0 / 3);
	assert_near(run->result.shared_core_time, 2.0 / 3);
	(void)a;
}

static void background_shares_but_does_not_count(void **state)
{
	struct run *run = *state;

	runs(run, "a", 0, 0, false);
	runs(run, "noise", 1, 0, true);
	finish(run, 1000);
	assert_near(run->result.shared_core_waste, 1);
	fake_exit(run->sim, fake_task(run->sim, "b", 0, true));
	finish(run, 2000);
	assert_near(run->result.makespan_s, 0.002);
}

static void an_offline_sibling_leaves_a_whole_core(void **state)
{
	struct run *run = *state;

	for (__s32 cpu = 2; cpu < 8; cpu++)
		fake_online(run->sim, cpu, false);
	runs(run, "a", 0, 0, false);
	runs(run, "b", 1, 0, false);
	fake_at(run->sim, 1000);
	fake_online(run->sim, 7, true);
	finish(run, 2000);
	assert_near(run->result.shared_core_waste, 0.5);
}

static void waits(struct run *run, __u64 cpus, __u64 from_us, __u64 until_us)
{
	struct sim_task *task = fake_task(run->sim, "w", cpus, false);

	fake_at(run->sim, from_us);
	fake_wake(run->sim, task);
	fake_at(run->sim, until_us);
	fake_run(run->sim, task, 1);
	fake_stop(run->sim, task, false);
	fake_idle(run->sim, 1);
}

static void waiting_beside_an_idle_cpu_is_a_violation(void **state)
{
	struct run *run = *state;

	waits(run, 0, 100, 140); /* within the grace */
	waits(run, 0, 200, 300);
	finish(run, 1000);
	assert_near(run->result.nr_violations, 1);
	assert_near(run->result.violation_max_us, 100);
	assert_near(run->result.violation_total_us, 100);
}

static void no_time_is_charged_twice(void **state)
{
	struct run *run = *state;
	struct sim_task *a = fake_task(run->sim, "a", 0x1, false);
	struct sim_task *b = fake_task(run->sim, "b", 0x1, false);

	fake_at(run->sim, 100);
	fake_wake(run->sim, a);
	fake_wake(run->sim, b);
	fake_at(run->sim, 300);
	fake_run(run->sim, a, 0); /* CPU 0 was idle for 200 us beside both */
	fake_at(run->sim, 400);
	fake_stop(run->sim, a, false);
	fake_run(run->sim, b, 0);
	finish(run, 1000);
	assert_near(run->result.nr_violations, 1);
	assert_near(run->result.violation_total_us, 200);
}

static void a_busy_machine_is_no_violation(void **state)
{
	struct run *run = *state;
	struct sim_task *a = fake_task(run->sim, "a", 0x3, false);

	runs(run, "x", 0, 0, false);
	runs(run, "y", 1, 0, false);
	fake_wake(run->sim, a); /* six idle CPUs, none for it */
	finish(run, 1000);
	assert_near(run->result.nr_violations, 0);
}

static void a_cpu_that_wakes_for_its_task_has_more_time(void **state)
{
	struct run *run = *state;
	struct sim_task *a = fake_task(run->sim, "a", 0, false);

	fake_at(run->sim, 100);
	fake_wake(run->sim, a);
	fake_insert(run->sim, a, SIM_DSQ_LOCAL, 3);
	fake_at(run->sim, 250);
	fake_run(run->sim, a, 3);
	finish(run, 1000);
	assert_near(run->result.nr_violations, 0);
	assert_near(run->result.wakeup_max_us, 150);
}

static void wakeups_by_percentile_and_name(void **state)
{
	struct run *run = *state;
	const struct metrics_group *groups;

	for (__u64 i = 1; i <= 1000; i++) {
		struct sim_task *task = fake_task(run->sim, i % 2 ? "odd" : "even", 0, false);

		fake_at(run->sim, i * 10000);
		fake_wake(run->sim, task);
		fake_at(run->sim, i * 10000 + i);
		fake_run(run->sim, task, 0);
		fake_stop(run->sim, task, false);
		fake_idle(run->sim, 0);
	}
	finish(run, 11000000);
	assert_double_equal(run->result.wakeup_p50_us, 500, 5);
	assert_double_equal(run->result.wakeup_p99_us, 990, 10);
	assert_double_equal(run->result.wakeup_p999_us, 999, 10);
	assert_near(run->result.wakeup_max_us, 1000);
	assert_int_equal(metrics_groups(run->metrics, &groups), 2);
	assert_string_equal(groups[0].name, "odd");
	assert_int_equal(groups[0].nr_tasks, 500);
	assert_near(groups[0].wakeup_max_us, 999);
}

static void moves_by_distance(void **state)
{
	struct run *run = *state;
	const __s32 path[] = { 0, 1, 2, 4, 2 }; /* sibling, cache, node, back */
	struct sim_task *task = fake_task(run->sim, "a", 0, false);

	for (unsigned i = 0; i < 5; i++) {
		fake_at(run->sim, i * 4000);
		fake_run(run->sim, task, path[i]);
		fake_stop(run->sim, task, false);
		fake_idle(run->sim, path[i]);
	}
	finish(run, 1000000);
	assert_near(run->result.migrations_core, 1);
	assert_near(run->result.migrations_cache, 1);
	assert_near(run->result.migrations_node, 2);
	assert_near(run->result.ping_pong, 1);
}

static void fairness_of_two_on_one_cpu(void **state)
{
	struct run *run = *state;
	struct sim_task *a = fake_task(run->sim, "a", 0, false);
	struct sim_task *b = fake_task(run->sim, "b", 0, false);

	fake_wake(run->sim, a);
	fake_wake(run->sim, b);
	fake_run(run->sim, a, 0);
	fake_at(run->sim, 750000);
	fake_stop(run->sim, a, true);
	fake_run(run->sim, b, 0);
	finish(run, 1000000); /* 3 : 1 */
	assert_near(run->result.jain, 16.0 / (2 * 10));
}

static void weight_entitles_to_more(void **state)
{
	struct run *run = *state;
	struct sim_task *a = fake_task(run->sim, "a", 0, false);
	struct sim_task *b = fake_task(run->sim, "b", 0, false);

	fake_view(a)->weight = 300;
	fake_wake(run->sim, a);
	fake_wake(run->sim, b);
	fake_run(run->sim, a, 0);
	fake_at(run->sim, 750000);
	fake_stop(run->sim, a, true);
	fake_run(run->sim, b, 0);
	finish(run, 1000000);
	assert_near(run->result.jain, 1);
}

static void nobody_is_owed_more_than_a_cpu(void **state)
{
	struct run *run = *state;
	struct sim_task *a = runs(run, "a", 0, 0, false);

	runs(run, "b", 2, 0, false);
	fake_view(a)->weight = 1000;
	finish(run, 1000000);
	assert_near(run->result.jain, 1);
}

static void frames_late_and_in_time(void **state)
{
	struct run *run = *state;
	struct sim_task *a = runs(run, "a", 0, 0, false);
	const struct metrics_group *groups;

	for (__u64 i = 1; i <= 4; i++) {
		fake_at(run->sim, i * 16000);
		fake_see(run->sim,
			 &(struct sim_event){ .kind = EVENT_FRAME, .task = a, .late_ns = i == 4 });
	}
	finish(run, 100000);
	assert_near(run->result.missed_frames, 0.25);
	metrics_groups(run->metrics, &groups);
	assert_near(groups[0].nr_frames, 4);
	assert_double_equal(groups[0].frame_p99_ms, 16, 0.16);
	assert_near(groups[0].cpu_s, 0.1);
}

static void a_second_thread_costs_less_than_a_second_core(void **state)
{
	struct run *run = *state;
	struct sim_task *b;
	double alone, paired;

	runs(run, "a", 0, 0, false);
	finish(run, 1000000);
	alone = run->result.energy;
	b = runs(run, "b", 1, 0, false);
	finish(run, 2000000);
	paired = run->result.energy - alone;
	fake_stop(run->sim, b, false);
	fake_idle(run->sim, 1);
	runs(run, "c", 2, 0, false);
	finish(run, 3000000);
	assert_true(paired > alone);
	assert_true(run->result.energy - alone - paired > paired);
}

static void a_slower_clock_saves_more_than_time(void **state)
{
	struct run *run = *state;
	double fast;

	runs(run, "a", 0, 0, false);
	finish(run, 1000000);
	fast = run->result.energy;
	fake_see(run->sim, &(struct sim_event){ .kind = EVENT_SPEED, .cpu = 0, .speed = 512 });
	finish(run, 2000000);
	assert_true(run->result.energy - fast < fast);
}

static void a_histogram_is_off_by_less_than_a_hundredth(void **state)
{
	for (__u64 value = 1; value < 1ULL << 40; value = value * 9 / 8 + 1) {
		struct histogram *h = test_calloc(1, sizeof(*h));
		__u64 got;

		histogram_add(h, value);
		histogram_add(h, 1ULL << 43);
		got = histogram_percentile(h, 500000);
		assert_in_range(got, value, value + value / 100);
		test_free(h);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sharing_is_waste_while_a_core_is_idle),
		TEST(a_core_that_may_not_be_used_is_no_alternative),
		TEST(background_shares_but_does_not_count),
		TEST(an_offline_sibling_leaves_a_whole_core),
		TEST(waiting_beside_an_idle_cpu_is_a_violation),
		TEST(no_time_is_charged_twice),
		TEST(a_busy_machine_is_no_violation),
		TEST(a_cpu_that_wakes_for_its_task_has_more_time),
		TEST(wakeups_by_percentile_and_name),
		TEST(moves_by_distance),
		TEST(fairness_of_two_on_one_cpu),
		TEST(weight_entitles_to_more),
		TEST(nobody_is_owed_more_than_a_cpu),
		TEST(frames_late_and_in_time),
		TEST(a_second_thread_costs_less_than_a_second_core),
		TEST(a_slower_clock_saves_more_than_time),
		cmocka_unit_test(a_histogram_is_off_by_less_than_a_hundredth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
