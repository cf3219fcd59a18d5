/* SPDX-License-Identifier: GPL-2.0-only */
/* What the events of a script do: time, loops, waiting for each other. */

#include "tests/sim/test-script.h"

static struct notes notes;

#define TASKS(text) "{ \"tasks\": { " text " } }"
#define RUN(...) simulate(&(struct setup){ .text = __VA_ARGS__ }, &notes)

static void run_and_sleep_take_their_time(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 3, \"run\": 1000, \"sleep\": 2000 }"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 9 * MSEC);
	check_near(notes.exits[0].exec_ns, 3 * MSEC);
}

static void delay_comes_first_and_once(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 2, \"delay\": 5000, \"run\": 1000 }"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 7 * MSEC);
}

static void loops_of_tasks_and_phases_multiply(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 2, \"phases\": { \"p\": { \"loop\": 3, \"fork\": \"c\" }, "
		  "\"q\": { \"fork\": \"d\" }, \"never\": { \"loop\": 0, \"fork\": \"e\" } } }, "
		  "\"c\": { \"instance\": 0, \"loop\": 1, \"run\": 10 }, "
		  "\"d\": { \"instance\": 0, \"loop\": 1, \"run\": 10 }, "
		  "\"e\": { \"instance\": 0, \"loop\": 1, \"run\": 10 }"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(nr_ended(&notes, "c"), 6);
	assert_int_equal(nr_ended(&notes, "d"), 2);
	assert_int_equal(nr_ended(&notes, "e"), 0);
}

static void runtime_is_time_and_run_is_work(void **state)
{
	static const char text[] =
		TASKS("\"work\": { \"cpus\": [12], \"loop\": 1, \"run\": 6000 }, "
		      "\"time\": { \"cpus\": [13], \"loop\": 1, \"runtime\": 6000 }");

	RUN(text, .machine = "hybrid-6p8e");
	assert_int_equal(notes.result, 0);
	check_near(ended_ns(&notes, "time"), 6 * MSEC);
	assert_true(ended_ns(&notes, "work") > 8 * MSEC); /* the clock is up by 5.0 / 4.2 */
}

static void resume_wakes_who_sleeps_and_nobody_later(void **state)
{
	RUN(TASKS("\"a\": { \"loop\": 1, \"run\": 3000, \"resume\": \"x\" }, "
		  "\"b\": { \"instance\": 2, \"loop\": 1, \"suspend\": \"x\", \"run\": 1000 }"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(nr_ended(&notes, "b"), 2);
	check_near(notes.end_ns, 4 * MSEC);

	RUN(TASKS("\"a\": { \"loop\": 1, \"resume\": \"x\", \"run\": 10 }, "
		  "\"b\": { \"loop\": 1, \"run\": 1000, \"suspend\": \"x\" }"));
	assert_int_equal(notes.result, -EDEADLK);
}

static void a_mutex_admits_one(void **state)
{
	RUN(TASKS("\"a\": { \"instance\": 3, \"loop\": 2, \"lock\": \"m\", \"run\": 1000, "
		  "\"unlock\": \"m\" }"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(notes.nr_exits, 3);
	check_near(notes.end_ns, 6 * MSEC);

	RUN(TASKS("\"a\": { \"loop\": 1, \"run\": 10, \"unlock\": \"m\" }"));
	assert_int_equal(notes.result, -EPROTO);
	assert_string_equal(notes.error, "task 'a' unlocks 'm' without having locked it");
	free(notes.error);
}

static void a_condition_lets_the_mutex_go_and_gets_it_back(void **state)
{
	RUN(TASKS("\"waiter\": { \"loop\": 1, \"lock\": \"m\", \"wait\": { \"ref\": \"c\", "
		  "\"mutex\": \"m\" }, \"run\": 500, \"unlock\": \"m\" }, "
		  "\"other\": { \"loop\": 1, \"delay\": 1000, \"lock\": \"m\", \"run1\": 1000, "
		  "\"signal\": \"c\", \"run2\": 2000, \"unlock\": \"m\" }"));
	assert_int_equal(notes.result, 0);
	check_near(ended_ns(&notes, "other"), 4 * MSEC);
	check_near(ended_ns(&notes, "waiter"), 4 * MSEC + MSEC / 2);
}

#define WAITERS                                                                                    \
	"\"w\": { \"instance\": 3, \"loop\": 1, \"lock\": \"m\", \"wait\": { \"ref\": \"c\", "     \
	"\"mutex\": \"m\" }, \"unlock\": \"m\" }, "

static void signal_wakes_one_and_broad_wakes_all(void **state)
{
	RUN(TASKS(WAITERS "\"s\": { \"loop\": 1, \"delay\": 1000, \"signal\": \"c\" }"));
	assert_int_equal(notes.result, -EDEADLK);
	assert_int_equal(nr_ended(&notes, "w"), 1);

	RUN(TASKS(WAITERS "\"s\": { \"loop\": 1, \"delay\": 1000, \"broad\": \"c\" }"));
	assert_int_equal(notes.result, 0);
	assert_int_equal(nr_ended(&notes, "w"), 3);
}

/* With the mutex as in rt-app's examples, and without as in its manual. */
static void sync_hands_over_to_and_fro(void **state)
{
	static const char *const texts[] = {
		TASKS("\"a\": { \"loop\": 10, \"run\": 100, \"lock\": \"m\", \"sync\": { \"ref\": \"c\", "
		      "\"mutex\": \"m\" }, \"unlock\": \"m\" }, \"b\": { \"loop\": 11, \"delay\": 50, "
		      "\"lock\": \"m\", \"signal\": \"c\", \"unlock\": \"m\", \"sleep\": 1000 }"),
		TASKS("\"a\": { \"loop\": 10, \"run\": 100, \"sync\": { \"ref\": \"c\", \"mutex\": "
		      "\"m\" } }, \"b\": { \"loop\": 11, \"delay\": 50, \"signal\": \"c\", "
		      "\"sleep\": 1000 }"),
	};

	for (unsigned i = 0; i < 2; i++) {
		RUN(texts[i]);
		assert_int_equal(notes.result, 0);
		check_near(ended_ns(&notes, "a"), 10 * MSEC);
	}
}

/* Each sync of one lets the other go on; the last one is let go by the signal. */
static void sync_wakes_the_other(void **state)
{
	RUN(TASKS(
		"\"a\": { \"loop\": 1, \"phases\": { \"p\": { \"loop\": 5, \"run\": 1000, \"sync\": { "
		"\"ref\": \"c\", \"mutex\": \"m\" } }, \"q\": { \"signal\": \"c\" } } }, "
		"\"b\": { \"loop\": 5, \"delay\": 500, \"run\": 1000, \"sync\": { \"ref\": \"c\", "
		"\"mutex\": \"m\" } }"));
	assert_int_equal(notes.result, 0);
	check_near(notes.end_ns, 9 * MSEC + MSEC / 2); /* by turns, but for the first of a */
}

static void a_barrier_waits_for_the_last(void **state)
{
	RUN(TASKS("\"fast\": { \"instance\": 2, \"loop\": 3, \"run\": 100, \"barrier\": \"b\" }, "
		  "\"slow\": { \"loop\": 3, \"run\": 2000, \"barrier\": \"b\" }"));
	assert_int_equal(notes.result, 0);
	check_near(ended_ns(&notes, "fast"), 6 * MSEC);
	check_near(ended_ns(&notes, "slow"), 6 * MSEC);
}

#define TIMER(run, mode)                                                                           \
	TASKS("\"a\": { \"loop\": 3, \"run\": " run ", \"timer\": { \"ref\": \"unique\", "         \
	      "\"period\": 5000, \"mode\": \"" mode "\" } }")

static void a_timer_ends_periods_and_says_how_late(void **state)
{
	RUN(TIMER("1000", "relative"));
	assert_int_equal(notes.nr_frames, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(notes.frames[i].late_ns, 0);
	check_near(notes.end_ns, 15 * MSEC);

	RUN(TIMER("7000", "relative")); /* each late period is a new beginning */
	for (unsigned i = 0; i < 3; i++)
		check_near(notes.frames[i].late_ns, 2 * MSEC);
	RUN(TIMER("7000", "absolute")); /* falls behind */
	for (unsigned i = 0; i < 3; i++)
		check_near(notes.frames[i].late_ns, 2 * MSEC * (i + 1));
}

static void a_timer_is_shared_unless_it_is_unique(void **state)
{
	RUN(TASKS("\"a\": { \"instance\": 2, \"loop\": 2, \"run\": 10, \"timer\": { \"ref\": \"t\", "
		  "\"period\": 5000 } }"));
	check_near(notes.end_ns, 20 * MSEC); /* four periods of one timer */
	RUN(TASKS("\"a\": { \"instance\": 2, \"loop\": 2, \"run\": 10, \"timer\": { \"ref\": "
		  "\"unique\", \"period\": 5000 } }"));
	check_near(notes.end_ns, 10 * MSEC);
}

static void a_phase_has_its_own_mask_and_weight_and_leaves_them(void **state)
{
	static const __s32 cpus[] = { 2, 3, 1 };
	unsigned next = 0;

	RUN(TASKS(
		"\"a\": { \"loop\": 1, \"cpus\": [1], \"phases\": { \"p\": { \"cpus\": [2], "
		"\"run\": 1000 }, \"q\": { \"cpus\": [3], \"nice\": -20, \"run\": 1000 }, \"r\": { "
		"\"run\": 1000 } } }"));
	assert_int_equal(notes.result, 0);
	for (unsigned i = 0; i < notes.nr_runs; i++)
		if (next < 3 && notes.runs[i].cpu == cpus[next])
			next++;
	assert_int_equal(next, 3);
	assert_int_equal(notes.exits[0].cpu, 1);
	assert_true(notes.exits[0].weight > 1000);
}

static void a_script_without_time_is_named(void **state)
{
	RUN(TASKS("\"dizzy\": { \"signal\": \"c\" }"));
	assert_int_equal(notes.result, -EPROTO);
	assert_non_null(strstr(notes.error, "task 'dizzy' goes round in circles"));
	free(notes.error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_and_sleep_take_their_time),
		cmocka_unit_test(delay_comes_first_and_once),
		cmocka_unit_test(loops_of_tasks_and_phases_multiply),
		cmocka_unit_test(runtime_is_time_and_run_is_work),
		cmocka_unit_test(resume_wakes_who_sleeps_and_nobody_later),
		cmocka_unit_test(a_mutex_admits_one),
		cmocka_unit_test(a_condition_lets_the_mutex_go_and_gets_it_back),
		cmocka_unit_test(signal_wakes_one_and_broad_wakes_all),
		cmocka_unit_test(sync_hands_over_to_and_fro),
		cmocka_unit_test(sync_wakes_the_other),
		cmocka_unit_test(a_barrier_waits_for_the_last),
		cmocka_unit_test(a_timer_ends_periods_and_says_how_late),
		cmocka_unit_test(a_timer_is_shared_unless_it_is_unique),
		cmocka_unit_test(a_phase_has_its_own_mask_and_weight_and_leaves_them),
		cmocka_unit_test(a_script_without_time_is_named),
	};

	return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
