/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/*
 * What is asked of the frequency governor: more at once, when a task that needs it starts to run;
 * less by and by, in the balance pass.
 */

enum {
	FREQUENCY_ONE =
		1024, /* the most; what the kernel gives to a CPU that was never asked for */
	FREQUENCY_STEP = FREQUENCY_ONE / 8, /* smaller changes are not worth the call */
};

static __always_inline __u64 frequency_for(const struct env *env, __u64 load)
{
	__u64 headroom_pct = env_params(env)->frequency_headroom_pct;

	return headroom_pct ? u64_min(load * (100 + headroom_pct) / 100, FREQUENCY_ONE)
			    : FREQUENCY_ONE;
}

/* As asked last; 0 stands for never. */
static __always_inline __u64 frequency_of(const struct donor_cpu *c)
{
	return c->perf ? c->perf - 1 : FREQUENCY_ONE;
}

static __always_inline void frequency_ask(const struct env *env, __u32 cpu, struct donor_cpu *c,
					  __u64 perf)
{
	c->perf = perf + 1;
	env_set_perf(env, cpu, perf);
}

/*
 * One of which little is known gets the most, and so do one that computes for long at a time and
 * one for which many wait: by its load alone, a chain that has 16 ms for a picture would be too
 * slow, and so would the manager that hands out work to 20 others.
 */
static __always_inline bool frequency_wants_most(const struct env *env)
{
	const struct donor_params *params = env_params(env);
	const struct donor_task *task = env_task(env);

	return task_is_fresh(task) || task->avg_run_ns >= params->frequency_run_ns ||
	       task->criticality >= params->frequency_criticality;
}

/* The task begins to run there. If it does not want the most, it makes do with what the CPU has. */
static __always_inline void frequency_raise(const struct env *env, __u32 cpu, struct donor_cpu *c)
{
	bool most = frequency_wants_most(env);

	c->running_perf = most ? FREQUENCY_ONE : 0;
	if (most && frequency_of(c) != FREQUENCY_ONE)
		frequency_ask(env, cpu, c, FREQUENCY_ONE);
}

/* The CPU had that load since the last pass. */
static __always_inline void frequency_follow(const struct env *env, __u32 cpu, struct donor_cpu *c,
					     __u64 load)
{
	__u64 want = frequency_for(env, load), have = frequency_of(c);

	if (c->running_since_ns)
		want = u64_max(want, c->running_perf);
	if (want < have)
		want = u64_max(want, have - have / 4);
	if (want + FREQUENCY_STEP <= have || want > have)
		frequency_ask(env, cpu, c, want);
}
