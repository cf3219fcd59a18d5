/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/share.h"

/*
 * Where a task goes that became runnable: one function for both hooks. Without queues the choice
 * of the CPU is the policy.
 */

/* A whole idle core, at home or given by donation. */
static __always_inline bool place_on_core(const struct env *env, enum donor_hook hook,
					  const struct place_home *home, struct placement *ret)
{
	__s32 cpu = idle_claim_core(env, home->domain, home->d);

	if (cpu >= 0) {
		place_claimed(env, ret, cpu, PLACE_DOMAIN_CORE);
		return true;
	}
	ret->donation = donate(env, hook, DONATE_FOR_CORE, home->domain, &cpu);
	if (ret->donation == DONATE_OK)
		place_claimed(env, ret, cpu, PLACE_DONATED);
	return ret->claimed;
}

/*
 * A short task that would be next on this CPU anyway needs no queue. Only one at a time, and only
 * where nobody waits already.
 */
static __always_inline bool place_may_follow(const struct env *env, const struct donor_cpu *state,
					     const struct donor_domain *d)
{
	const struct donor_params *params = env_params(env);

	return params->sync_handover && !state->handed_over && !state->nr_queued && !d->nr_queued &&
	       env_task(env)->avg_run_ns < params->donate_min_run_ns;
}

/*
 * Nothing is idle at home, and who wakes the short task is about to sleep: it runs next where the
 * waker runs, behind the same cache.
 */
static __always_inline bool place_after_waker(const struct env *env, const struct place_home *home,
					      struct placement *ret)
{
	__s32 cpu = env_this_cpu(env);
	struct donor_cpu *state = env_cpu(env, cpu);

	if (!state || !state->active || state->domain != home->domain ||
	    !place_may_follow(env, state, home->d) || !env_task_allowed(env, cpu))
		return false;
	state->handed_over = true;
	place_claimed(env, ret, cpu, PLACE_AFTER_WAKER);
	return true;
}

/* A short task may leave home as well, rather than wait. */
static __always_inline bool place_abroad(const struct env *env, enum donor_hook hook,
					 const struct place_home *home, struct placement *ret)
{
	__s32 cpu = -1;

	if (ret->donation != DONATE_SHORT)
		return false;
	ret->donation = donate(env, hook, DONATE_FOR_CPU, home->domain, &cpu);
	if (ret->donation == DONATE_OK)
		place_claimed(env, ret, cpu, PLACE_DONATED);
	return ret->claimed;
}

/*
 * A restricted task never sits in a queue that only CPUs outside its mask may happen to serve: it
 * waits at one CPU unless it may run on all of the domain.
 */
static __always_inline enum place_exit place_queue(const struct env *env, __u32 home)
{
	const struct donor_domain *d = env_domain(env, home);

	/* Of a domain out of use it may run on all that is in use, which is nothing. */
	return d && d->nr_active && env_task_covers(env, home) ? PLACE_QUEUED : PLACE_QUEUED_CPU;
}

/* Its only CPU runs a task that sleeps often, and so soon. */
static __always_inline void place_after_rester(const struct env *env, struct placement *ret)
{
	struct donor_cpu *state = env_cpu(env, ret->cpu);
	const struct donor_domain *d = state ? env_domain(env, state->domain) : NULL;

	if (!d || !state->running_since_ns || !state->running_rests ||
	    !place_may_follow(env, state, d))
		return;
	state->handed_over = true;
	ret->exit = PLACE_AFTER_RESTER;
}

/* The mask may have changed since it ran: then to the one that it has now. */
static __always_inline void place_pinned(const struct env *env, enum donor_hook hook, __s32 prev,
					 struct placement *ret)
{
	ret->cpu = env_task_allowed(env, prev) ? prev : env_task_any_cpu(env);
	ret->exit = PLACE_PINNED;
	if (env_claim(env, ret->cpu))
		place_claimed(env, ret, ret->cpu, PLACE_PINNED);
	else if (hook == DONOR_HOOK_ENQUEUE)
		place_after_rester(env, ret);
}

/* sync: its waker is about to sleep. */
static __always_inline struct placement place(const struct env *env, enum donor_hook hook,
					      __s32 prev, bool sync)
{
	struct placement ret = { .donation = _DONATE_EXIT_MAX };
	struct place_home home;

	if (env_task_pinned(env) || !place_find_home(env, prev, &home)) {
		place_pinned(env, hook, prev, &ret);
		return ret;
	}
	ret.cpu = home.cpu;
	if (idle_is_whole_core(env, home.state) && env_claim(env, home.cpu))
		place_claimed(env, &ret, home.cpu, PLACE_PREV_CORE);
	else if (!place_on_core(env, hook, &home, &ret) &&
		 !(hook == DONOR_HOOK_SELECT_CPU && place_beside_waker(env, &home, sync, &ret)) &&
		 !place_on_thread(env, &home, &ret) &&
		 !(sync && place_after_waker(env, &home, &ret)) &&
		 !place_abroad(env, hook, &home, &ret))
		ret.exit = place_queue(env, home.domain);
	return ret;
}

/* The search has failed a moment ago, and chose the CPU. */
static __always_inline struct placement place_searched(const struct env *env, __s32 cpu)
{
	const struct donor_cpu *state = env_cpu(env, cpu);
	struct placement ret = { .cpu = cpu, .donation = _DONATE_EXIT_MAX };

	ret.exit = env_task_pinned(env) || !state ? PLACE_PINNED : place_queue(env, state->domain);
	return ret;
}

/* The task would go on running on the CPU, but shares its core: is there a whole one for it? */
static __always_inline struct placement place_again(const struct env *env, __s32 cpu)
{
	struct placement ret = { .cpu = cpu, .exit = PLACE_KEPT, .donation = _DONATE_EXIT_MAX };
	struct place_home home;

	if (env_task_pinned(env) || !place_look_up(env, cpu, &home))
		return ret;
	place_on_core(env, DONOR_HOOK_ENQUEUE, &home, &ret);
	return ret;
}
