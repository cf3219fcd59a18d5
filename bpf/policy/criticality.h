/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/*
 * How much others wait for a task: it sleeps often, it wakes others often, it runs shortly. Each
 * counts as a logarithm, so the sum ranks tasks over many orders of magnitude; LAVD's idea.
 */

enum {
	CRITICALITY_SECOND_NS = 1000000000,
	CRITICALITY_RUN_NS = 500000, /* resolution of the length of a run */
	CRITICALITY_BATCH_NS = 500000, /* wakeups closer than that are one: a batch */
	CRITICALITY_LEAST = 7, /* of a task of nice 0 that never sleeps: log2 of its weight */
};

/* Events per second as a logarithm; 0 for less than one. */
static __always_inline __u32 criticality_of_period(__u64 period_ns)
{
	return period_ns ? log2_u64(CRITICALITY_SECOND_NS / period_ns) : 0;
}

/* What the task is by itself. */
static __always_inline __u32 criticality_own(const struct donor_task *task, __u32 weight)
{
	__u64 run_ns = u64_min(task->avg_run_ns, CRITICALITY_SECOND_NS);
	__u64 shortness = (CRITICALITY_SECOND_NS - run_ns) / CRITICALITY_RUN_NS;

	return criticality_of_period(task->sleep_period_ns) +
	       criticality_of_period(task->wake_period_ns) + log2_u64(shortness) + log2_u64(weight);
}

/* And at this moment. */
static __always_inline __u32 criticality_now(const struct donor_task *task)
{
	return task->criticality + task->inherited + task->boost;
}

/*
 * Half of what the other is ahead, at most an eighth of its own. From what the other is by itself:
 * an inheritance goes one step.
 */
static __always_inline void criticality_inherit(struct donor_task *heir,
						const struct donor_task *from)
{
	if (from->criticality <= heir->criticality)
		return;
	heir->inherited =
		u64_max(heir->inherited, u64_min((from->criticality - heir->criticality) / 2,
						 heir->criticality / 8));
}

/*
 * The time is that at which the waker began to run or was last charged: a tick too early at most,
 * and it spares the clock.
 */
static __always_inline void criticality_wakes(struct donor_task *waker, __u64 now_ns)
{
	__u64 period_ns = now_ns - waker->woke_at_ns;

	if (period_ns < CRITICALITY_BATCH_NS)
		return;
	if (waker->woke_at_ns)
		waker->wake_period_ns = ewma(waker->wake_period_ns, period_ns);
	waker->woke_at_ns = now_ns;
}

/* The task was woken. */
static __always_inline void criticality_woken(const struct env *env, bool sync)
{
	const struct donor_params *params = env_params(env);
	struct donor_task *task = env_task(env);
	struct donor_task *waker = env_waker(env);
	const struct donor_cpu *state = env_cpu(env, env_this_cpu(env));

	task->boost = (sync ? params->boost_sync : 0) +
		      (env_task_is_kthread(env) ? params->boost_kthread : 0);
	if (!waker || !state)
		return;
	criticality_wakes(waker, state->running_since_ns);
	criticality_inherit(task, waker);
	criticality_inherit(waker, task);
}
