/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is started, waited for and begins anew; the bank queue; the same work for every policy. */

#include "tests/sim/test-script.h"

static struct notes notes;

#define TASKS(text) "{ \"tasks\": { " text " } }"
#define RUN(...) simulate(&(struct setup){ .text = __VA_ARGS__ }, &notes)

#define QUEUE(numbers, workers)                                                                              \
	TASKS("\"manager\": { \"loop\": 1, \"phases\": { \"serve\": { \"serve\": { \"ref\": \"q\", " numbers \
	      " } }, \"after\": { \"run\": 700 } } }, "                                                      \
	      "\"worker\": { " workers                                                                       \
	      ", \"take\": \"q\", \"run\": 1000, \"sim\": { \"bind\": true, "                                \
	      "\"jitter_pct\": 50 } }")

static __u64 sum_exec_ns(const char *name)
{
	__u64 sum = 0;

	for (unsigned i = 0; i < notes.nr_exits; i++)
		if (!strcmp(notes.exits[i].name, name))
			sum += notes.exits[i].exec_ns;
	return sum;
}

static void a_queue_is_shared_until_it_is_used_up(void **state)
{
	RUN(QUEUE("\"items\": 30, \"run\": 10", "\"instance\": 3"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(nr_ended(&notes, "worker"), 3);
	assert_int_equal(nr_ended(&notes, "manager"), 1);
	assert_in_range(sum_exec_ns("worker"), 25 * MSEC, 36 * MSEC); /* 30, and the jitter */
	/* 33 requests, and what it does when all have left. */
	check_near(sum_exec_ns("manager"), 33 * 10 * 1000 + 700 * 1000);
}

static void a_single_server_is_the_bottleneck(void **state)
{
	RUN(QUEUE("\"items\": 30, \"run\": 2000", "\"instance\": 3"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 33 * 2 * MSEC);
}

/* Who is answered computes meanwhile. */
static void after_its_answer_a_server_goes_on(void **state)
{
	RUN(QUEUE("\"items\": 30, \"run\": 100, \"after\": 1900", "\"instance\": 3"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 33 * 2 * MSEC);
	RUN(QUEUE("\"items\": 2, \"run\": 1000, \"after\": 5000", "\"instance\": 2, \"loop\": 1"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 12 * MSEC);
}

/* One channel: who waits for an answer keeps all others from asking, and all get through. */
static void a_shared_channel_is_passed_on(void **state)
{
	RUN(QUEUE("\"items\": 30, \"run\": 10, \"channels\": 1", "\"instance\": 3"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(nr_ended(&notes, "worker"), 3);
	assert_true(sum_exec_ns("worker") > 25 * MSEC);
}

static void workers_who_leave_early_leave_items(void **state)
{
	RUN(QUEUE("\"items\": 2", "\"instance\": 2, \"loop\": 1"));
	assert_int_equal(notes.result, 0);
	RUN(QUEUE("\"items\": 3", "\"instance\": 2, \"loop\": 1"));
	assert_int_equal(notes.result, -EDEADLK); /* one is left, and nobody will ask for it */
}

static void a_task_that_ends_otherwise_leaves_the_queue(void **state)
{
	RUN(TASKS("\"manager\": { \"loop\": 1, \"serve\": { \"ref\": \"q\", \"items\": 2 } }, "
		  "\"short\": { \"loop\": 1, \"take\": \"q\", \"run\": 100 }, "
		  "\"long\": { \"take\": \"q\", \"run\": 500 }"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(notes.nr_exits, 3);
}

static void who_comes_after_the_end_gets_nothing(void **state)
{
	RUN(TASKS("\"manager\": { \"loop\": 1, \"serve\": { \"ref\": \"q\", \"items\": 2 } }, "
		  "\"early\": { \"take\": \"q\", \"run\": 100 }, "
		  "\"late\": { \"delay\": 9000, \"take\": \"q\", \"run\": 100 }"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(notes.nr_exits, 3);
}

static void forked_workers_are_bound_to_places_of_their_own(void **state)
{
	bool seen[4] = { false };

	RUN(TASKS("\"manager\": { \"loop\": 1, \"phases\": { \"start\": { \"loop\": 4, \"fork\": "
		  "\"worker\" }, \"serve\": { \"serve\": { \"ref\": \"q\", \"items\": 40 } } } }, "
		  "\"worker\": { \"instance\": 0, \"take\": \"q\", \"run\": 100, \"sim\": { "
		  "\"bind\": true } }"));
	assert_int_equal(notes.result, 0);
	for (unsigned i = 0; i < notes.nr_exits; i++) {
		__s32 index = notes.exits[i].bind_index;

		if (!strcmp(notes.exits[i].name, "manager")) {
			assert_int_equal(index, -1);
			continue;
		}
		assert_in_range(index, 0, 3);
		assert_false(seen[index]);
		seen[index] = true;
	}
}

/* Nothing that a policy decides may change how much there is to do. */
static void every_policy_gets_the_same_work(void **state)
{
	static const char text[] = QUEUE("\"items\": 60, \"run\": 10", "\"instance\": 6");
	__u64 first = 0;

	for (unsigned i = 0; policies[i]; i++) {
		RUN(text, .policy = policies[i], .seed = 5);
		assert_int_equal(notes.result, 0);
		first = first ?: sum_exec_ns("worker");
		if (policies[i] == &policy_donor)
			continue; /* it lowers the clock when there is little to do */
		/* Costs of moves and switches differ. */
		assert_in_range(sum_exec_ns("worker"), first - first / 50, first + first / 50);
	}
	RUN(text, .seed = 6);
	assert_true(sum_exec_ns("worker") != first);
	RUN(text, .seed = 5);
	first = sum_exec_ns("worker");
	RUN(text, .seed = 5);
	assert_int_equal(sum_exec_ns("worker"), first);
}

static void scale_divides_counted_loops_and_queues_only(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 50, \"run\": 1000 }, \"b\": { \"loop\": 1, \"phases\": { \"p\": "
		  "{ \"loop\": 3, \"run\": 1000 } } }, \"c\": { \"loop\": 2, \"run\": 1000 }"),
	    .scale = 10);
	check_near(sum_exec_ns("a"), 5 * MSEC);
	check_near(sum_exec_ns("b"), 3 * MSEC);
	check_near(sum_exec_ns("c"), 1 * MSEC);
	RUN(QUEUE("\"items\": 300", "\"instance\": 3"), .scale = 10);
	assert_in_range(sum_exec_ns("worker"), 25 * MSEC, 36 * MSEC);
}

static void nobody_waits_for_who_never_ends(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 1, \"run\": 5000 }, \"endless\": { \"run\": 1000 }"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 5 * MSEC);
	RUN(TASKS("\"endless\": { \"run\": 1000 }"), .until_ns = 8 * MSEC);
	assert_int_equal(notes.result, -ETIMEDOUT);
}

static void the_background_begins_anew_and_is_not_waited_for(void **state)
{
	unsigned nr = 0;

	RUN(TASKS("\"a\": { \"loop\": 1, \"run\": 10000 }"),
	    .background = TASKS("\"b\": { \"loop\": 1, \"run\": 100, \"sleep\": 900 }"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 10 * MSEC);
	assert_int_equal(notes.nr_exits, 1);
	for (unsigned i = 0; i < notes.nr_runs; i++)
		nr += !strcmp(notes.runs[i].name, "b");
	assert_in_range(nr, 9, 11);
}

static void the_background_never_runs_out_of_items(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 1, \"run\": 20000 }"),
	    .background = QUEUE("\"items\": 3, \"run\": 10", "\"instance\": 2"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(notes.nr_exits, 1);
	assert_int_equal(notes.nr_runs >= 20, 1);
}

static void instances_per_cpu_follow_the_machine(void **state)
{
	static const char text[] = TASKS(
		"\"a\": { \"loop\": 1, \"run\": 10, \"sim\": { \"instances_per_cpu\": 1.5 } }");

	RUN(text);
	assert_int_equal(notes.nr_exits, 6);
	RUN(text, .machine = "pack:1 core:1 pu:1");
	assert_int_equal(notes.nr_exits, 2);
}

static void cpus_that_are_not_there_are_refused(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 1, \"cpus\": [4, 9], \"run\": 10 }"));
	assert_int_equal(notes.result, -ENODEV);
	RUN(TASKS("\"a\": { \"loop\": 1, \"phases\": { \"p\": { \"cpus\": [4], \"run\": 10 } } }"));
	assert_int_equal(notes.result, -ENODEV);
	RUN(TASKS("\"a\": { \"loop\": 1, \"cpus\": [3, 9], \"run\": 10 }"));
	assert_int_equal(notes.result, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_is_shared_until_it_is_used_up),
		cmocka_unit_test(a_single_server_is_the_bottleneck),
		cmocka_unit_test(after_its_answer_a_server_goes_on),
		cmocka_unit_test(a_shared_channel_is_passed_on),
		cmocka_unit_test(workers_who_leave_early_leave_items),
		cmocka_unit_test(a_task_that_ends_otherwise_leaves_the_queue),
		cmocka_unit_test(who_comes_after_the_end_gets_nothing),
		cmocka_unit_test(forked_workers_are_bound_to_places_of_their_own),
		cmocka_unit_test(every_policy_gets_the_same_work),
		cmocka_unit_test(scale_divides_counted_loops_and_queues_only),
		cmocka_unit_test(nobody_waits_for_who_never_ends),
		cmocka_unit_test(the_background_begins_anew_and_is_not_waited_for),
		cmocka_unit_test(the_background_never_runs_out_of_items),
		cmocka_unit_test(instances_per_cpu_follow_the_machine),
		cmocka_unit_test(cpus_that_are_not_there_are_refused),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
