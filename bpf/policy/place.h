/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/donate.h"

/*
 * Where a task goes that became runnable: one function for both hooks. Without queues the choice
 * of the CPU is the policy.
 */

/* How it ended. The order is that of the place_* counters. */
enum place_exit {
	PLACE_PINNED,
	PLACE_PREV_CORE,
	PLACE_DOMAIN_CORE,
	PLACE_DONATED,
	PLACE_PREV_THREAD,
	PLACE_DOMAIN_THREAD,
	PLACE_AFTER_WAKER,
	PLACE_QUEUED,
	PLACE_QUEUED_CPU,
	PLACE_KEPT,
	_PLACE_EXIT_MAX,
};

struct placement {
	__s32 cpu; /* where it runs, or whose queue or domain's queue it joins */
	bool claimed; /* the CPU is idle and ours: it must get the task */
	enum place_exit exit;
	enum donate_exit donation; /* _DONATE_EXIT_MAX: did not come to it */
};

static __always_inline __u32 place_domain_of(const struct env *env, __s32 cpu)
{
	const struct donor_cpu_topology *c = env_cpu_topology(env, cpu);

	return c ? c->domain : DONOR_NONE;
}

/*
 * A remembered CPU is a hint: the mask or the machine may have changed since. One that is out of
 * use is no place to stay either, but it serves a task that may run nowhere else.
 */
static __always_inline __s32 place_valid_cpu(const struct env *env, __s32 prev)
{
	const struct donor_cpu *state = env_cpu(env, prev);

	return state && state->active && env_task_allowed(env, prev) ? prev : env_task_any_cpu(env);
}

/* A whole idle core, at home or given by donation. */
static __always_inline bool place_on_core(const struct env *env, enum donor_hook hook, __u32 home,
					  struct placement *ret)
{
	__s32 cpu = idle_claim_core(env, home);

	ret->exit = PLACE_DOMAIN_CORE;
	if (cpu < 0) {
		ret->exit = PLACE_DONATED;
		ret->donation = donate(env, hook, DONATE_FOR_CORE, home, &cpu);
	}
	if (cpu < 0)
		return false;
	ret->cpu = cpu;
	return ret->claimed = true;
}

/* Half a core at home; failing that a short task may leave as well, rather than wait. */
static __always_inline bool place_on_thread(const struct env *env, enum donor_hook hook, __u32 home,
					    struct placement *ret)
{
	__s32 cpu = ret->cpu;

	if (env_claim(env, cpu)) {
		ret->exit = PLACE_PREV_THREAD;
		return ret->claimed = true;
	}
	ret->exit = PLACE_DOMAIN_THREAD;
	cpu = idle_claim_thread(env, home);
	if (cpu < 0 && ret->donation == DONATE_SHORT) {
		ret->exit = PLACE_DONATED;
		ret->donation = donate(env, hook, DONATE_FOR_CPU, home, &cpu);
	}
	if (cpu < 0)
		return false;
	ret->cpu = cpu;
	return ret->claimed = true;
}

/*
 * A restricted task never sits in a queue that only CPUs outside its mask may happen to serve: it
 * waits at one CPU unless it may run on all of the domain.
 */
static __always_inline enum place_exit place_queue(const struct env *env, __u32 home)
{
	return env_task_covers(env, home) ? PLACE_QUEUED : PLACE_QUEUED_CPU;
}

static __always_inline struct placement place(const struct env *env, enum donor_hook hook,
					      __s32 prev)
{
	struct placement ret = { .donation = _DONATE_EXIT_MAX };
	__u32 home;

	if (env_task_pinned(env)) {
		ret.cpu = prev;
		ret.exit = PLACE_PINNED;
		ret.claimed = env_claim(env, prev);
		return ret;
	}
	ret.cpu = place_valid_cpu(env, prev);
	home = place_domain_of(env, ret.cpu);
	if (idle_is_whole_core(env, ret.cpu) && env_claim(env, ret.cpu)) {
		ret.exit = PLACE_PREV_CORE;
		ret.claimed = true;
		return ret;
	}
	if (place_on_core(env, hook, home, &ret) || place_on_thread(env, hook, home, &ret))
		return ret;
	ret.exit = place_queue(env, home);
	return ret;
}

/*
 * Nothing is idle, and who wakes the short task is about to sleep: it runs next where the waker
 * runs, without a queue. Only one at a time, only where nobody waits already, and only behind the
 * same cache.
 */
static __always_inline bool place_after_waker(const struct env *env, struct placement *ret)
{
	const struct donor_params *params = env_params(env);
	__s32 cpu = env_this_cpu(env);
	struct donor_cpu *state = env_cpu(env, cpu);
	__u32 home = place_domain_of(env, ret->cpu);
	const struct donor_domain *d = env_domain(env, home);

	if (!params->sync_handover || !state || !state->active || state->handed_over ||
	    state->nr_queued || !d || d->nr_queued || place_domain_of(env, cpu) != home ||
	    env_task(env)->avg_run_ns >= params->donate_min_run_ns || !env_task_allowed(env, cpu))
		return false;
	state->handed_over = true;
	ret->cpu = cpu;
	ret->exit = PLACE_AFTER_WAKER;
	return true;
}

/* The search has failed a moment ago, and chose the CPU. */
static __always_inline struct placement place_searched(const struct env *env, __s32 cpu)
{
	return (struct placement){
		.cpu = cpu,
		.exit = env_task_pinned(env) ? PLACE_PINNED
					     : place_queue(env, place_domain_of(env, cpu)),
		.donation = _DONATE_EXIT_MAX,
	};
}

/* A task that shares its core and would go on running there: is there a whole core for it? */
static __always_inline struct placement place_again(const struct env *env, __s32 cpu)
{
	struct placement ret = { .cpu = cpu, .donation = _DONATE_EXIT_MAX };

	if (env_task_pinned(env) ||
	    !place_on_core(env, DONOR_HOOK_ENQUEUE, place_domain_of(env, cpu), &ret))
		ret.exit = PLACE_KEPT;
	return ret;
}
