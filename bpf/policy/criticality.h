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

/* And in a run of many slices, for whose end nobody waits: what it was like when it slept counts no
 * more. */
static __always_inline __u32 criticality_of_long_run(const struct donor_task *task, __u32 weight)
{
	return criticality_of_period(task->wake_period_ns) + log2_u64(weight);
}

/* And at this moment. */
static __always_inline __u32 criticality_now(const struct donor_task *task)
{
	return task->criticality + task->inherited + task->boost;
}

/*
 * What the heir gets: half of what the other is ahead, at most an eighth of its own. From what the
 * other is by itself: an inheritance goes one step.
 */
static __always_inline __u32 criticality_legacy(__u32 heir, __u32 from)
{
	return from > heir ? u64_min((from - heir) / 2, heir / 8) : 0;
}

static __always_inline void criticality_inherit(struct donor_task *heir, __u32 from)
{
	heir->inherited = u64_max(heir->inherited, criticality_legacy(heir->criticality, from));
}

/*
 * The task runs on the CPU since then, or was charged. What its wakeups of others ask of it is kept
 * at hand: the task itself need not be looked up for each.
 */
static __always_inline void criticality_runs(struct donor_cpu *state, const struct donor_task *task)
{
	state->running_own_criticality = task->criticality;
	state->running_rests = task_rests(task);
	state->running_wakes_anew =
		state->running_since_ns - task->woke_at_ns >= CRITICALITY_BATCH_NS;
}

/*
 * The time is that at which the waker began to run or was last charged: a tick too early at most,
 * and it spares the clock.
 */
static __always_inline void criticality_wakes(struct donor_task *waker, struct donor_cpu *state)
{
	__u64 now_ns = state->running_since_ns;

	state->running_wakes_anew = false;
	if (waker->woke_at_ns)
		waker->wake_period_ns = ewma(waker->wake_period_ns, now_ns - waker->woke_at_ns);
	waker->woke_at_ns = now_ns;
}

/* The task was woken. Who is interrupted meanwhile has nothing to do with it. */
static __always_inline void criticality_woken(const struct env *env, bool sync)
{
	const struct donor_params *params = env_params(env);
	struct donor_task *task = env_task(env);
	struct donor_cpu *state = env_cpu(env, env_this_cpu(env));
	struct donor_task *waker;

	task->boost = (sync ? params->boost_sync : 0) +
		      (env_task_is_kthread(env) ? params->boost_kthread : 0);
	if (!state || !state->running_since_ns)
		return;
	if (env_in_interrupt(env)) {
		env_count(env, DONOR_COUNT_interrupt_wakes);
		return;
	}
	criticality_inherit(task, state->running_own_criticality);
	if (!state->running_wakes_anew &&
	    !criticality_legacy(state->running_own_criticality, task->criticality))
		return;
	waker = env_waker(env);
	if (!waker)
		return;
	if (state->running_wakes_anew)
		criticality_wakes(waker, state);
	criticality_inherit(waker, task->criticality);
}
