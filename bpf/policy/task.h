/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"
#include "bpf/policy/fixed-point.h"

/* What the scheduler remembers of a task, and how it learns it. */

enum {
	/* Runs after which the average means something. */
	TASK_FRESH_RUNS = 3,
	/* Load of a task that keeps a CPU busy. */
	TASK_LOAD_ONE = 1024,
};

struct donor_task {
	__u64 vtime_ns; /* in the clock of `domain` */
	__u64 run_ns; /* time on a CPU since it last woke */
	__u64 avg_run_ns; /* that, averaged over wakeups */
	__u64 charged_ns; /* its sum of run time when it was last charged */
	__u64 slept_at_ns; /* when it last went to sleep */
	__u64 woke_at_ns; /* when it last woke another task */
	__u64 sleep_period_ns; /* from one sleep to the next, averaged */
	__u64 wake_period_ns; /* from one wakeup of another task to the next, averaged */

	__u32 load; /* TASK_LOAD_ONE: would keep a CPU busy */
	__u32 queued_weight; /* as counted in its domain */
	__u16 domain; /* where it last ran or queued */
	__u16 queued_domain; /* counted in nr_queued of this domain, else DONOR_NONE */
	__u16 queued_cpu; /* or of this CPU, else DONOR_NONE */
	__u8 nr_runs; /* sleeps seen, as far as TASK_FRESH_RUNS */
	__u8 reach; /* neighbours that the last donation could look at */
	__u32 criticality; /* of its own */
	__u32 inherited; /* from who woke it or was woken by it, until it sleeps */
	__u32 boost; /* of this wakeup */
	bool searched; /* select_cpu just found nothing idle */
	bool budgeted; /* the last donation had budgets to keep to */
	__u8 nearest_exit; /* of it, enum donate_exit */
	__u8 walked; /* and those that it looked at */
	__u64 refreshed_at_ns; /* load and criticality */
	__u64 donated_at_ns;
	__u64 replaced_at_ns;
};
_Static_assert(sizeof(struct donor_task) <= 128, "two cache lines");

static __always_inline void task_init(struct donor_task *task)
{
	*task = (struct donor_task){
		.domain = DONOR_NONE,
		.queued_domain = DONOR_NONE,
		.queued_cpu = DONOR_NONE,
	};
}

/* A task of which nothing is known yet. */
static __always_inline bool task_is_fresh(const struct donor_task *task)
{
	return task->nr_runs < TASK_FRESH_RUNS;
}

/* Share of a CPU that it used since it last went to sleep; what it waited for does not count. */
static __always_inline __u32 task_load_sample(const struct donor_task *task, __u64 now_ns)
{
	__u64 period_ns = u64_max(now_ns - task->slept_at_ns, task->run_ns);

	return period_ns ? task->run_ns * TASK_LOAD_ONE / period_ns : 0;
}

/* Charge a stretch on a CPU, and return it. A task that never sleeps is seen here too. */
static __always_inline __u64 task_charge(struct donor_task *task, __u64 sum_exec_ns, __u64 weight)
{
	__u64 ran_ns = sum_exec_ns - task->charged_ns;

	task->charged_ns = sum_exec_ns;
	task->run_ns += ran_ns;
	task->vtime_ns += scale_by_weight(ran_ns, weight);
	task->avg_run_ns = u64_max(task->avg_run_ns, task->run_ns);
	return ran_ns;
}

/* It sleeps a good part of the time: who shares a core with it does not for long. */
static __always_inline bool task_rests(const struct donor_task *task)
{
	return !task_is_fresh(task) && task->load <= TASK_LOAD_ONE / 4 * 3;
}

/* A run of many slices. */
static __always_inline bool task_runs_long(const struct donor_task *task)
{
	enum { LONG_RUN_NS = 10 * 1000 * 1000 };

	return task->run_ns > LONG_RUN_NS;
}

/*
 * It goes to sleep: the run that began at its wakeup is complete. True: it is time to look at the
 * task anew. What takes a division is brought up to date at most so often; one that sleeps less
 * often is looked at each time.
 */
static __always_inline bool task_sleep(struct donor_task *task, __u64 now_ns)
{
	enum { REFRESH_NS = 4 * 1000 * 1000 };
	bool due = now_ns - task->refreshed_at_ns >= REFRESH_NS || task_is_fresh(task);

	if (task->slept_at_ns) {
		task->sleep_period_ns = ewma(task->sleep_period_ns, now_ns - task->slept_at_ns);
		if (due)
			task->load = ewma(task->load, task_load_sample(task, now_ns));
	}
	if (due)
		task->refreshed_at_ns = now_ns;
	if (task_is_fresh(task))
		task->nr_runs++;
	task->avg_run_ns = ewma(task->avg_run_ns, task->run_ns);
	task->run_ns = 0;
	task->inherited = 0;
	task->boost = 0;
	task->slept_at_ns = now_ns;
	return due;
}
