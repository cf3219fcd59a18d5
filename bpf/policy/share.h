/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/placement.h"

/* No whole core is idle: beside whom a task takes half of one. */

/* It rests, and has run for nearly as long as it usually does; or it says so. */
static __always_inline bool place_waker_will_sleep(const struct env *env,
						   const struct donor_cpu *state, bool sync)
{
	const struct donor_task *waker;

	if (sync)
		return true;
	waker = state->running_rests && !env_in_interrupt(env) ? env_waker(env) : NULL;
	return waker && waker->run_ns + env_now_ns(env) - state->running_since_ns >=
				waker->avg_run_ns / 4 * 3;
}

/* To the core of its waker in another domain goes what donation may take there. */
static __always_inline bool place_worth_leaving(const struct env *env,
						const struct place_home *home, __u32 to)
{
	const struct donor_params *params = env_params(env);
	const struct donor_domain_topology *from = env_domain_topology(env, home->domain);
	const struct donor_domain_topology *there = env_domain_topology(env, to);

	if (to == home->domain)
		return true;
	return from && there && donate_is_on(params, DONOR_HOOK_SELECT_CPU) &&
	       env_task(env)->avg_run_ns >= params->donate_min_run_ns &&
	       donate_kind_fits(params, from, there);
}

/*
 * No whole core is idle, but that of the waker will be: it is about to sleep. So the links of a
 * chain follow each other on one core, instead of each taking half of somebody else's.
 */
static __always_inline bool place_beside_waker(const struct env *env, const struct place_home *home,
					       bool sync, struct placement *ret)
{
	const struct donor_cpu *waker = env_cpu(env, env_this_cpu(env));
	const struct donor_cpu *beside = waker ? env_cpu(env, waker->sibling) : NULL;

	if (!beside || !beside->idle || !waker->running_since_ns ||
	    !core_is_all_but_idle(idle_core_threads(env, waker)) ||
	    !place_waker_will_sleep(env, waker, sync) ||
	    !place_worth_leaving(env, home, waker->domain) ||
	    !env_task_allowed(env, waker->sibling) || !env_claim(env, waker->sibling))
		return false;
	place_claimed(env, ret, waker->sibling, PLACE_BESIDE_WAKER);
	return true;
}

/*
 * Its old CPU is taken by a task that rests: beside that it soon has the core alone, and takes half
 * of it from no hog.
 */
static __always_inline bool
place_beside_rester(const struct env *env, const struct place_home *home, struct placement *ret)
{
	__s32 cpu = home->state->sibling;
	const struct donor_cpu *beside = env_cpu(env, cpu);

	if (!home->state->running_since_ns || !home->state->running_rests || !beside ||
	    !beside->idle || !env_task_allowed(env, cpu) || !env_claim(env, cpu))
		return false;
	place_claimed(env, ret, cpu, PLACE_DOMAIN_THREAD);
	return true;
}

/* Half a core at home. */
static __always_inline bool place_on_thread(const struct env *env, const struct place_home *home,
					    struct placement *ret)
{
	__s32 cpu;

	if (home->state->idle && env_claim(env, home->cpu)) {
		place_claimed(env, ret, home->cpu, PLACE_PREV_THREAD);
		return true;
	}
	if (place_beside_rester(env, home, ret))
		return true;
	cpu = idle_claim_thread(env, home->domain, home->d);
	if (cpu >= 0)
		place_claimed(env, ret, cpu, PLACE_DOMAIN_THREAD);
	return ret->claimed;
}
