/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/fake.h"
#include "tests/sim/properties.h"
#include "tests/sim/trace-hash.h"

/* Each property: a run that keeps it, and what breaks it. */

struct run {
	struct sim *sim;
	struct properties *properties;
	struct sim_task *task;
};

static int setup(void **state)
{
	const struct properties_options options = {
		.grace_ns = 50000,
		.far_grace_ns = 20000000,
		.wait_bound_ns = 100000000,
		.every = 1,
	};
	struct run *run = test_calloc(1, sizeof(*run));

	run->sim = fake_new();
	run->task = fake_task(run->sim, "a", 0x3f, false);
	*state = run;
	return properties_new(run->sim, &options, &run->properties);
}

static int teardown(void **state)
{
	struct run *run = *state;

	properties_free(run->properties);
	fake_free(run->sim);
	test_free(run);
	return 0;
}

static void assert_broken(const struct run *run, const char *name)
{
	assert_non_null(sim_error(run->sim));
	assert_memory_equal(sim_error(run->sim), name, strlen(name));
}

static void runs_other(struct run *run, __s32 cpu)
{
	struct sim_task *task = fake_task(run->sim, "b", 0, false);

	fake_wake(run->sim, task);
	fake_run(run->sim, task, cpu);
}

static void wake_and_insert(struct run *run, __s32 cpu)
{
	fake_wake(run->sim, run->task);
	fake_claim(run->sim, cpu);
	fake_insert(run->sim, run->task, SIM_DSQ_LOCAL, cpu);
	fake_kick(run->sim, cpu, true);
}

static void a_good_life_breaks_nothing(void **state)
{
	struct run *run = *state;

	wake_and_insert(run, 1);
	fake_step(run->sim);
	fake_at(run->sim, 200); /* the CPU is on its way */
	fake_step(run->sim);
	fake_run(run->sim, run->task, 1);
	fake_step(run->sim);
	fake_stop(run->sim, run->task, true);
	fake_insert(run->sim, run->task, 7, -1);
	fake_insert(run->sim, run->task, SIM_DSQ_LOCAL, 1);
	fake_run(run->sim, run->task, 1);
	fake_stop(run->sim, run->task, false);
	fake_idle(run->sim, 1);
	fake_exit(run->sim, run->task);
	fake_step(run->sim);
	assert_null(sim_error(run->sim));
}

static void p1_an_insert_where_it_may_not_be(void **state)
{
	struct run *run = *state;

	wake_and_insert(run, 6);
	assert_broken(run, "P1: a 1 goes into the queue of CPU 6");
}

static void p1_an_insert_to_an_offline_cpu(void **state)
{
	struct run *run = *state;

	fake_online(run->sim, 2, false);
	wake_and_insert(run, 2);
	assert_broken(run, "P1: ");
}

static void p1_a_run_where_it_may_not_be(void **state)
{
	struct run *run = *state;

	fake_wake(run->sim, run->task);
	fake_run(run->sim, run->task, 7);
	assert_broken(run, "P1: a 1 runs on CPU 7");
}

static void p2_two_queues_at_once(void **state)
{
	struct run *run = *state;

	wake_and_insert(run, 1);
	fake_insert(run->sim, run->task, SIM_DSQ_LOCAL, 2);
	assert_broken(run, "P2: ");
}

static void p2_two_cpus_at_once(void **state)
{
	struct run *run = *state;

	fake_wake(run->sim, run->task);
	fake_run(run->sim, run->task, 1);
	fake_run(run->sim, run->task, 2);
	assert_broken(run, "P2: a 1 is running");
}

static void p2_asleep_and_in_a_queue(void **state)
{
	struct run *run = *state;

	fake_insert(run->sim, run->task, 7, -1);
	assert_broken(run, "P2: a 1 is asleep");
}

static void p2_lost_from_a_local_queue(void **state)
{
	struct run *run = *state;

	wake_and_insert(run, 1);
	fake_step(run->sim);
	assert_null(sim_error(run->sim));
	runs_other(run, 1); /* empties the queue */
	fake_step(run->sim);
	assert_broken(run, "P2: the queue of CPU 1 holds 0, and 1 went there");
}

static void p2_the_kernel_says_otherwise(void **state)
{
	struct run *run = *state;

	wake_and_insert(run, 1);
	fake_view(run->task)->queued = false;
	fake_step(run->sim);
	assert_broken(run, "P2: a 1 is in the queue of a CPU, and the kernel takes it for asleep");
}

static void p3_a_claim_without_a_kick(void **state)
{
	struct run *run = *state;

	fake_claim(run->sim, 3);
	fake_kick(run->sim, 3, true);
	fake_step(run->sim);
	assert_null(sim_error(run->sim));
	fake_kick(run->sim, 3, false); /* came to nothing */
	fake_step(run->sim);
	assert_broken(run, "P3: CPU 3 sleeps");
}

static void p3_a_claim_that_is_used_up(void **state)
{
	struct run *run = *state;

	wake_and_insert(run, 3);
	fake_run(run->sim, run->task, 3);
	fake_step(run->sim);
	fake_stop(run->sim, run->task, false);
	fake_idle(run->sim, 3);
	fake_step(run->sim);
	assert_null(sim_error(run->sim));
}

static void waits_in_a_queue(struct run *run, __u64 until_us)
{
	fake_at(run->sim, 100);
	fake_wake(run->sim, run->task);
	fake_insert(run->sim, run->task, 7, -1);
	fake_at(run->sim, until_us);
	fake_step(run->sim);
}

static void p4_an_idle_cpu_beside_a_waiting_task(void **state)
{
	struct run *run = *state;

	waits_in_a_queue(run, 149);
	assert_null(sim_error(run->sim));
	fake_at(run->sim, 210);
	fake_step(run->sim);
	assert_broken(run, "P4: CPU 0 is idle while a 1 waits");
}

static void p4_another_domain_has_more_time(void **state)
{
	struct run *run = *state;

	for (__s32 cpu = 0; cpu < 4; cpu++)
		runs_other(run, cpu);
	waits_in_a_queue(run, 10000);
	assert_null(sim_error(run->sim));
	fake_at(run->sim, 21000);
	fake_step(run->sim);
	assert_broken(run, "P4: CPU 4 is idle");
}

static void p4_only_cpus_that_the_task_may_use(void **state)
{
	struct run *run = *state;

	for (__s32 cpu = 0; cpu < 6; cpu++)
		runs_other(run, cpu);
	waits_in_a_queue(run, 50000);
	assert_null(sim_error(run->sim));
}

static void p8_a_wait_without_end(void **state)
{
	struct run *run = *state;

	for (__s32 cpu = 0; cpu < 8; cpu++)
		runs_other(run, cpu);
	waits_in_a_queue(run, 100099);
	assert_null(sim_error(run->sim));
	fake_at(run->sim, 100201);
	fake_step(run->sim);
	assert_broken(run, "P8: a 1 waits");
}

static void p8_seen_when_the_wait_ends(void **state)
{
	struct run *run = *state;

	fake_wake(run->sim, run->task);
	fake_at(run->sim, 200000);
	fake_run(run->sim, run->task, 0);
	assert_broken(run, "P8: ");
}

static const char *refuses_frames(struct sim *sim, const struct sim_event *event, void *data)
{
	return event->kind == EVENT_FRAME ? data : NULL;
}

static void a_check_of_somebody_else(void **state)
{
	struct run *run = *state;
	char sentence[] = "no frames here";

	assert_int_equal(properties_add(run->properties, "P5", refuses_frames, sentence), 0);
	fake_step(run->sim);
	assert_null(sim_error(run->sim));
	fake_see(run->sim, &(struct sim_event){ .kind = EVENT_FRAME, .task = run->task });
	assert_string_equal(sim_error(run->sim), "P5: no frames here");
}

static __u64 hash_of(__u64 time_us, __s32 cpu)
{
	struct sim *sim = fake_new();
	struct trace_hash hash;

	trace_hash_observe(sim, &hash);
	fake_at(sim, time_us);
	fake_idle(sim, cpu);
	fake_free(sim);
	assert_int_equal(hash.nr_events, 1);
	return hash.value;
}

static void p11_the_hash_tells_runs_apart(void **state)
{
	assert_int_equal(hash_of(10, 1), hash_of(10, 1));
	assert_int_not_equal(hash_of(10, 1), hash_of(11, 1));
	assert_int_not_equal(hash_of(10, 1), hash_of(10, 2));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_good_life_breaks_nothing),
		TEST(p1_an_insert_where_it_may_not_be),
		TEST(p1_an_insert_to_an_offline_cpu),
		TEST(p1_a_run_where_it_may_not_be),
		TEST(p2_two_queues_at_once),
		TEST(p2_two_cpus_at_once),
		TEST(p2_asleep_and_in_a_queue),
		TEST(p2_lost_from_a_local_queue),
		TEST(p2_the_kernel_says_otherwise),
		TEST(p3_a_claim_without_a_kick),
		TEST(p3_a_claim_that_is_used_up),
		TEST(p4_an_idle_cpu_beside_a_waiting_task),
		TEST(p4_another_domain_has_more_time),
		TEST(p4_only_cpus_that_the_task_may_use),
		TEST(p8_a_wait_without_end),
		TEST(p8_seen_when_the_wait_ends),
		TEST(a_check_of_somebody_else),
		cmocka_unit_test(p11_the_hash_tells_runs_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
