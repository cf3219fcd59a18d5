/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"
#include "bpf/policy/fixed-point.h"

/* What the scheduler remembers of a task, and how it learns it. */

enum {
	/* Runs after which the average means something. */
	TASK_FRESH_RUNS = 3,
};

struct donor_task {
	__u64 vtime_ns; /* in the clock of `domain` */
	__u64 run_ns; /* time on a CPU since it last woke */
	__u64 avg_run_ns; /* that, averaged over wakeups */
	__u64 charged_ns; /* its sum of run time when it was last charged */
	__u64 donated_at_ns;
	__u64 replaced_at_ns;
	__u16 domain; /* where it last ran or queued */
	__u16 queued_domain; /* counted in nr_queued of this domain, else DONOR_NONE */
	__u16 queued_cpu; /* or of this CPU, else DONOR_NONE */
	__u16 nr_runs; /* sleeps seen, as far as TASK_FRESH_RUNS */
};

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

/* Charge a stretch on a CPU. Refreshed at every stop, so a task that never sleeps is seen too. */
static __always_inline void task_charge(struct donor_task *task, __u64 sum_exec_ns, __u64 weight)
{
	__u64 ran_ns = sum_exec_ns - task->charged_ns;

	task->charged_ns = sum_exec_ns;
	task->run_ns += ran_ns;
	task->vtime_ns += scale_by_weight(ran_ns, weight);
	task->avg_run_ns = u64_max(task->avg_run_ns, task->run_ns);
}

/* It goes to sleep: the run that began at its wakeup is complete. */
static __always_inline void task_sleep(struct donor_task *task)
{
	if (task_is_fresh(task))
		task->nr_runs++;
	task->avg_run_ns = ewma(task->avg_run_ns, task->run_ns);
	task->run_ns = 0;
}
