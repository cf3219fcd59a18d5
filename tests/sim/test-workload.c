/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sim/script.h"

static int load_text(const char *text, struct workload **ret, char **ret_message)
{
	char path[] = "/tmp/donor-workload-XXXXXX";
	int r, fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	r = workload_load(path, ret, ret_message);
	unlink(path);
	return r;
}

static struct workload *load_good(const char *text)
{
	struct workload *workload = NULL;
	char *message = NULL;
	int r = load_text(text, &workload, &message);

	if (r < 0)
		fail_msg("%s", message);
	return workload;
}

static void those_that_ship_can_be_read(void **state)
{
	for (const char *const *name = workload_names(); *name; name++) {
		struct workload *workload = NULL;
		char *message = NULL;

		if (workload_load(*name, &workload, &message) < 0)
			fail_msg("%s", message);
		assert_true(workload->nr_tasks >= 1);
		/* Without an end and without a duration a run would have to guess. */
		assert_true(workload_ends(workload) || workload_duration_ns(workload));
		workload_free(workload);
	}
}

static void algorithm3_is_the_bank_queue_of_the_seed_program(void **state)
{
	struct workload *w;
	char *message;

	assert_int_equal(workload_load("algorithm3", &w, &message), 0);
	assert_int_equal(w->nr_tasks, 3);
	assert_string_equal(w->tasks[1].name, "worker");
	assert_int_equal(w->tasks[1].nr_instances, 0);
	assert_int_equal(w->tasks[1].smt_share, 563);
	assert_int_equal(w->tasks[1].footprint_kb, 404);
	assert_true(w->tasks[1].bind);
	assert_int_equal(w->tasks[0].phases[1].loop, 20);
	assert_int_equal(w->nr_resources, 1);
	assert_int_equal(w->resources[0].nr_items, 103097);
	assert_int_equal(w->resources[0].nr_channels, 8);
	workload_free(w);
	assert_int_equal(workload_load("primesieve", &w, &message), 0);
	assert_int_equal(w->tasks[1].smt_share, 737);
	assert_int_equal(w->tasks[1].phases[0].events[1].time_ns, 64100000);
	workload_free(w);
}

static void what_is_not_said_has_the_defaults_of_rt_app(void **state)
{
	struct workload *w = load_good("{ \"tasks\": { \"a\": { \"run\": 10 } } }");
	const struct script_task *task = &w->tasks[0];

	assert_int_equal(task->loop, LOOP_ENDLESS);
	assert_int_equal(task->nr_instances, 1);
	assert_int_equal(task->sched_class, CLASS_FAIR);
	assert_int_equal(task->settings.nice, 0);
	assert_false(task->settings.restricted);
	assert_int_equal(task->nr_phases, 1);
	assert_int_equal(task->phases[0].loop, 1);
	assert_int_equal(task->phases[0].events[0].operation, OPERATION_RUN);
	assert_int_equal(task->phases[0].events[0].time_ns, 10000);
	assert_int_equal(workload_duration_ns(w), 0);
	assert_false(workload_ends(w));
	workload_free(w);
}

static void keys_may_have_a_suffix_and_files_comments(void **state)
{
	static const enum operation expected[] = {
		OPERATION_RUN,	   OPERATION_SLEEP, OPERATION_RUN,     OPERATION_RUNTIME,
		OPERATION_SUSPEND, OPERATION_YIELD, OPERATION_BARRIER, OPERATION_TIMER,
	};
	struct workload *w = load_good(
		"/* a: \"b\": */ { \"tasks\": { \"a:b\": { // c: d\n"
		"\"run1\": 1, \"sleep_2\": 2, \"run-3\": 3, \"runtime4\": 4, \"suspend\": \"\","
		"\"yield\": \"\", \"barrierA\": \"x\\\":y\","
		"\"timer0\": { \"ref\": \"unique\", \"period\": 5, \"mode\": \"absolute\" }, } } }");
	const struct script_phase *phase = &w->tasks[0].phases[0];

	assert_int_equal(phase->nr_events, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(phase->events[i].operation, expected[i]);
	assert_true(phase->events[7].absolute);
	assert_string_equal(w->resources[0].name, "a:b"); /* an empty suspend is its task's */
	assert_true(w->resources[2].unique);
	workload_free(w);
}

static void phases_have_loops_masks_and_priorities_of_their_own(void **state)
{
	struct workload *w = load_good(
		"{ \"global\": { \"duration\": 3, \"default_policy\": \"SCHED_FIFO\", \"ftrace\": "
		"\"none\" }, \"tasks\": { \"rt\": { \"priority\": 50, \"run\": 1 }, \"b\": { "
		"\"policy\": \"SCHED_OTHER\", \"priority\": -3, \"instance\": 2, \"loop\": 7, "
		"\"delay\": 9, \"cpus\": [1, 3], \"phases\": { \"p\": { \"loop\": 5, \"cpus\": [0], "
		"\"run\": 1 }, \"q\": { \"nice\": 4, \"run\": 1 } } } } }");
	const struct script_task *task = &w->tasks[1];

	assert_int_equal(w->tasks[0].sched_class, CLASS_RT);
	assert_int_equal(workload_duration_ns(w), 3000000000);
	assert_int_equal(task->sched_class, CLASS_FAIR);
	assert_int_equal(task->settings.nice, -3);
	assert_int_equal(task->nr_instances, 2);
	assert_int_equal(task->loop, 7);
	assert_int_equal(task->delay_ns, 9000);
	assert_true(CPU_ISSET(3, &task->settings.allowed) && !CPU_ISSET(0, &task->settings.allowed));
	assert_int_equal(task->nr_phases, 2);
	assert_int_equal(task->phases[0].loop, 5);
	assert_int_equal(CPU_COUNT(&task->phases[0].settings.allowed), 1);
	assert_false(task->phases[1].settings.restricted);
	assert_int_equal(task->phases[1].settings.nice, 4);
	assert_true(workload_ends(w));
	workload_free(w);
}

#define TASK(text) "{ \"tasks\": { \"t\": { " text " } } }"

static void what_is_wrong_is_named_with_file_task_and_key(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} rows[] = {
		{ "", "line 1 is no JSON" },
		{ "{ \"tasks\": {\n\"t\": { \"run\": } } }", "line 2 is no JSON" },
		{ "[]", "is no JSON object" },
		{ "{}", "has no object \"tasks\"" },
		{ "{ \"tasks\": {} }", "key 'tasks': has no task" },
		{ "{ \"tasks\": { \"t\": 1 } }", "task 't': is no object" },
		{ TASK(""), "task 't': has no event" },
		{ TASK("\"phases\": { \"p\": {} }"), "task 't': has no event" },
		{ TASK("\"run\": 1, \"run\": 2"), "the same key twice; number them, as in run1" },
		{ TASK("\"run\": -1"), "task 't', key 'run': must be a time" },
		{ TASK("\"run\": 1.5"), "key 'run': must be a time in whole microseconds" },
		{ TASK("\"run\": \"10\""), "key 'run': must be a time" },
		{ TASK("\"run\": 99999999999999"), "up to a day" },
		{ TASK("\"walk\": 1"), "key 'walk': is neither an event nor a property" },
		{ TASK("\"mem\": 1"), "key 'mem': rt-app has it, but" },
		{ TASK("\"run\": 1, \"util_min\": 1"), "key 'util_min': rt-app has it, but" },
		{ TASK("\"phases\": { \"p\": { \"run\": 1, \"iorun\": 1 } }"), "key 'iorun'" },
		{ TASK("\"run\": 1, \"policy\": \"SCHED_DEADLINE\""), "'SCHED_DEADLINE' cannot be" },
		{ TASK("\"run\": 1, \"policy\": 5"), "key 'policy': is no string" },
		{ TASK("\"run\": 1, \"priority\": 20"), "whole number from -20 to 19" },
		{ TASK("\"run\": 1, \"policy\": \"SCHED_FIFO\", \"priority\": 0"), "from 1 to 99" },
		{ TASK("\"run\": 1, \"loop\": -2"), "key 'loop': must be a whole number from -1" },
		{ TASK("\"run\": 1, \"instance\": -1"), "key 'instance': must be" },
		{ TASK("\"run\": 1, \"cpus\": []"), "key 'cpus': must be an array" },
		{ TASK("\"run\": 1, \"cpus\": [1024]"), "key 'cpus': must be a whole number" },
		{ TASK("\"run\": 1, \"phases\": { \"p\": { \"run\": 1 } }"),
		  "stands beside events" },
		{ TASK("\"phases\": { \"p\": { \"run\": 1 } }, \"run\": 1"), "stands beside \"ph" },
		{ TASK("\"wait\": \"c\""), "key 'wait': is no object" },
		{ TASK("\"wait\": { \"ref\": \"c\" }"), "key 'wait': needs a member 'mutex'" },
		{ TASK("\"lock\": \"\""), "key 'lock': is empty" },
		{ TASK("\"timer\": { \"ref\": \"r\" }"), "needs a member 'period'" },
		{ TASK("\"timer\": { \"ref\": \"r\", \"period\": 0 }"), "a period of 0" },
		{ TASK("\"timer\": { \"ref\": \"r\", \"period\": 1, \"mode\": \"x\" }"),
		  "mode 'x'" },
		{ TASK("\"timer\": { \"ref\": \"r\", \"period\": 1, \"x\": 1 }"), "no member 'x'" },
		{ TASK("\"fork\": \"u\""), "key 'fork': there is no task 'u'" },
		{ TASK("\"instance\": 0, \"barrier\": \"b\""),
		  "key 'barrier': in a task that others" },
		{ TASK("\"take\": \"q\""), "the queue 'q' has nobody who serves" },
		{ TASK("\"serve\": { \"ref\": \"q\", \"items\": 1 }"), "has nobody who takes" },
		{ TASK("\"serve\": { \"ref\": \"q\" }"), "needs a member 'items'" },
		{ TASK("\"serve1\": { \"ref\": \"q\", \"items\": 1 }, \"serve2\": { \"ref\": \"q\", "
		       "\"items\": 1 }"),
		  "is served twice" },
		{ TASK("\"run\": 1, \"sim\": { \"smt_share\": 0 }"), "above 0 and up to 1" },
		{ TASK("\"run\": 1, \"sim\": { \"smt_share\": 1.1 }"), "above 0 and up to 1" },
		{ TASK("\"run\": 1, \"sim\": { \"jitter_pct\": 101 }"), "from 0 to 100" },
		{ TASK("\"run\": 1, \"sim\": { \"bind\": 1 }"), "must be true or false" },
		{ TASK("\"run\": 1, \"sim\": { \"nice\": 1 }"), "is not one of \"sim\"" },
		{ "{ \"global\": { \"duration\": 0.5 }, \"tasks\": { \"t\": { \"run\": 1 } } }",
		  "key 'duration': must be a whole number" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload *workload = NULL;
		char *message = NULL;

		assert_int_equal(load_text(rows[i].text, &workload, &message), -EINVAL);
		assert_null(workload);
		if (!message || !strstr(message, rows[i].words))
			fail_msg("%s: '%s' does not say '%s'", rows[i].text, message ?: "",
				 rows[i].words);
		assert_int_equal(strncmp(message, "/tmp/donor-workload-", 20), 0);
		free(message);
	}
}

static void what_is_no_workload_gets_a_sentence(void **state)
{
	struct workload *workload = NULL;
	char *message = NULL;

	assert_int_equal(workload_load("algorithm", &workload, &message), -ENOENT);
	assert_non_null(
		strstr(message, "no workload 'algorithm'; name a file or one of algorithm3"));
	free(message);
	assert_int_equal(workload_load("/", &workload, &message), -EISDIR);
	free(message);
	assert_null(workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_ship_can_be_read),
		cmocka_unit_test(algorithm3_is_the_bank_queue_of_the_seed_program),
		cmocka_unit_test(what_is_not_said_has_the_defaults_of_rt_app),
		cmocka_unit_test(keys_may_have_a_suffix_and_files_comments),
		cmocka_unit_test(phases_have_loops_masks_and_priorities_of_their_own),
		cmocka_unit_test(what_is_wrong_is_named_with_file_task_and_key),
		cmocka_unit_test(what_is_no_workload_gets_a_sentence),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
