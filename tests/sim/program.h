/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>
#include <sched.h>
#include <stdbool.h>

struct sim;
struct sim_task;

/* What a task does, step by step: the kernel model asks for the next step when the last is done. */
enum step_kind {
	STEP_RUN, /* compute `work_ns`: time alone on a core of capacity 1024 at nominal frequency */
	STEP_SLEEP, /* until `until_ns`; in the past: do not sleep */
	STEP_BLOCK, /* until somebody wakes it by sim_wake(); a wakeup since the last STEP_BLOCK
		       counts */
	STEP_YIELD,
	STEP_EXIT,
};

struct step {
	enum step_kind kind;
	union {
		__u64 work_ns;
		__u64 until_ns;
	};
};

/*
 * next: the task runs and asks what to do. It may wake others (sim_wake), start tasks (sim_spawn)
 * and change masks and weights; whatever it does counts as done by the task.
 */
struct program_ops {
	struct step (*next)(struct sim *sim, struct sim_task *task, void *data);
	void (*free)(void *data); /* when the task is gone; may be NULL */
};

enum sched_class {
	CLASS_FAIR, /* scheduled by the policy under test */
	CLASS_RT, /* takes its CPU away from the policy */
};

/* A task to be. Strings and `data` belong to the task from sim_spawn() on; `name` is copied. */
struct task_spec {
	const char *name; /* group for reports: tasks of one name are one row */
	const struct program_ops *program;
	void *data;
	enum sched_class sched_class;
	__s32 nice; /* -20..19, as a weight by the kernel's table */
	__u32 smt_share; /* own speed while the sibling thread is busy, 1024 is full */
	__u32 footprint_kb; /* cache that it has to fill again after a move */
	__s32 bind_index; /* place of this task in hand pinning; -1: nobody would pin it */
	bool background; /* the run does not wait for its end */
	bool kthread;
	bool restricted; /* `allowed` holds */
	cpu_set_t allowed;
	__s32 born_on; /* CPU of the parent where there is none; -1: CPU 0 */
};
