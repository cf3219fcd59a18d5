/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/criticality.h"

/*
 * No CPU is idle, and a task joined a queue. If it is clearly more critical than what runs, a
 * running task is interrupted: the tick would be up to 4 ms away.
 */

/* How it ended. The order is that of the preempt_* counters. */
enum preempt_exit {
	PREEMPT_KICK,
	PREEMPT_REFUSED,
	PREEMPT_LIMITED,
	_PREEMPT_EXIT_MAX,
};

static __always_inline enum preempt_exit preempt_test(const struct env *env, __s32 cpu)
{
	const struct donor_params *params = env_params(env);
	const struct donor_cpu *c = env_cpu(env, cpu);

	if (!c || !c->running_since_ns || !params->preempt_margin)
		return PREEMPT_REFUSED;
	if (criticality_now(env_task(env)) < c->running_criticality + params->preempt_margin)
		return PREEMPT_REFUSED;
	if (env_now_ns(env) - c->preempted_at_ns < params->preempt_interval_ns)
		return PREEMPT_LIMITED;
	return PREEMPT_KICK;
}

/* Its own CPU first, for its cache; then one other that it may use, for better luck. */
static __always_inline enum preempt_exit preempt_choose(const struct env *env, __s32 cpu,
							__u32 domain, __s32 *ret_cpu)
{
	const struct donor_domain *d = env_domain(env, domain);
	enum preempt_exit exit = preempt_test(env, cpu);

	*ret_cpu = cpu;
	if (exit == PREEMPT_KICK || !d || d->nr_active < 2)
		return exit;
	*ret_cpu = env_task_some_cpu(env, domain);
	return preempt_test(env, *ret_cpu);
}

/* The task joined the queue of the domain; DONOR_NONE: that of the CPU. */
static __always_inline void preempt(const struct env *env, __s32 cpu, __u32 domain)
{
	enum preempt_exit exit = preempt_choose(env, cpu, domain, &cpu);
	struct donor_cpu *c = env_cpu(env, cpu);

	env_count(env, DONOR_COUNT_preempt_kick + exit);
	if (exit != PREEMPT_KICK || !c)
		return;
	c->preempted_at_ns = env_now_ns(env);
	env_kick_preempt(env, cpu);
}
