/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

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

#include "tests/sim/policies.h"
#include "tests/sim/script.h"

/* Runs a workload on the real kernel model under one queue for all, and notes what happened. */

#define MSEC 1000000ULL
#define SIMPLE "pack:1 core:4 pu:1" /* four CPUs that all run at the nominal speed */

struct seen {
	char name[16];
	__u64 time_ns;
	__u64 exec_ns;
	__u64 late_ns;
	__s32 cpu;
	__s32 bind_index;
	__u32 weight;
};

struct notes {
	int result;
	char *error;
	__u64 end_ns;
	unsigned nr_exits, nr_frames, nr_runs;
	struct seen exits[256], frames[256], runs[1024];
};

struct setup {
	const char *text;
	const char *background; /* or NULL */
	const char *machine; /* NULL: SIMPLE */
	const struct sim_policy *policy; /* NULL: fifo */
	__u64 seed;
	__u64 until_ns;
	__u32 scale;
};

static inline void note(struct sim *sim, const struct sim_event *event, struct seen *seen)
{
	const struct sim_task_view *view = task_view(event->task);

	*seen = (struct seen){ .time_ns = sim_now_ns(sim),
			       .exec_ns = view->sum_exec_ns,
			       .late_ns = event->late_ns,
			       .cpu = event->cpu,
			       .bind_index = task_spec(event->task)->bind_index,
			       .weight = view->weight };
	snprintf(seen->name, sizeof(seen->name), "%s", task_spec(event->task)->name);
}

static inline void see(struct sim *sim, const struct sim_event *event, void *data)
{
	struct notes *notes = data;

	if (event->kind == EVENT_EXIT && notes->nr_exits < 256)
		note(sim, event, &notes->exits[notes->nr_exits++]);
	if (event->kind == EVENT_FRAME && notes->nr_frames < 256)
		note(sim, event, &notes->frames[notes->nr_frames++]);
	if (event->kind == EVENT_RUN && notes->nr_runs < 1024)
		note(sim, event, &notes->runs[notes->nr_runs++]);
}

static inline struct workload *load_workload(const char *text)
{
	char path[] = "/tmp/donor-script-XXXXXX";
	struct workload *workload = NULL;
	char *message = NULL;
	int r, fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	r = workload_load(path, &workload, &message);
	unlink(path);
	if (r < 0)
		fail_msg("%s", message);
	return workload;
}

static inline void simulate(const struct setup *setup, struct notes *notes)
{
	struct workload *workload = load_workload(setup->text);
	struct workload *background = setup->background ? load_workload(setup->background) : NULL;
	struct sim_machine *machine = NULL;
	struct sim *sim = NULL;
	char *message;
	int r = machine_load(setup->machine ?: SIMPLE, &machine, &message);
	const struct sim_options options = {
		.topology = r < 0 ? NULL : &machine->topology,
		.machine = machine,
		.policy = setup->policy ?: &policy_fifo,
		.seed = setup->seed,
		.hz = 250,
		.watchdog_ns = 10000 * MSEC,
	};

	assert_int_equal(r, 0);
	memset(notes, 0, sizeof(*notes));
	assert_int_equal(sim_new(&options, &sim), 0);
	sim_observe(sim, see, notes);
	notes->result = workload_start(workload, sim, setup->scale, false);
	if (!notes->result && background)
		notes->result = workload_start(background, sim, setup->scale, true);
	if (!notes->result)
		notes->result = sim_run(sim, setup->until_ns);
	notes->end_ns = sim_now_ns(sim);
	notes->error = sim_error(sim) ? strdup(sim_error(sim)) : NULL;
	sim_free(sim);
	workload_free(workload);
	workload_free(background);
	machine_free(machine);
}

static inline unsigned nr_ended(const struct notes *notes, const char *name)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < notes->nr_exits; i++)
		nr += !strcmp(notes->exits[i].name, name);
	return nr;
}

/* When the last task of that name ended. */
static inline __u64 ended_ns(const struct notes *notes, const char *name)
{
	__u64 last = 0;

	for (unsigned i = 0; i < notes->nr_exits; i++)
		if (!strcmp(notes->exits[i].name, name))
			last = notes->exits[i].time_ns;
	return last;
}

/* Switches, wakeups and cold caches cost a little; nothing is ever faster. */
static inline void check_near(__u64 ns, __u64 expected_ns)
{
	if (ns < expected_ns || ns > expected_ns + expected_ns / 20 + MSEC / 2)
		fail_msg("%llu us is not about %llu us", ns / 1000, expected_ns / 1000);
}
