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
	PLACE_BESIDE_WAKER,
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

/* Where the search begins: a CPU that may run the task, and its domain. */
struct place_home {
	__s32 cpu;
	__u32 domain;
	struct donor_cpu *state;
	struct donor_domain *d;
};

static __always_inline bool place_look_up(const struct env *env, __s32 cpu,
					  struct place_home *ret_home)
{
	ret_home->cpu = cpu;
	ret_home->state = env_cpu(env, cpu);
	if (!ret_home->state)
		return false;
	ret_home->domain = ret_home->state->domain;
	ret_home->d = env_domain(env, ret_home->domain);
	return ret_home->d;
}

/*
 * A remembered CPU is a hint: the mask or the machine may have changed since. One that is out of
 * use is no place to stay either, but it serves a task that may run nowhere else.
 */
static __always_inline bool place_find_home(const struct env *env, __s32 prev,
					    struct place_home *ret_home)
{
	if (place_look_up(env, prev, ret_home) && ret_home->state->active &&
	    env_task_allowed(env, prev))
		return true;
	return place_look_up(env, env_task_any_cpu(env), ret_home);
}

/* The CPU is ours, and will be busy. */
static __always_inline void place_claimed(const struct env *env, struct placement *ret, __s32 cpu,
					  enum place_exit exit)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	struct donor_domain *d = state ? env_domain(env, state->domain) : NULL;

	ret->cpu = cpu;
	ret->exit = exit;
	ret->claimed = true;
	if (d)
		cpu_set_idle(env, cpu, state, d, false);
}

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

/* It rests, and has run for nearly as long as it usually does; or it says so. */
static __always_inline bool place_waker_will_sleep(const struct env *env,
						   const struct donor_cpu *state, bool sync)
{
	const struct donor_task *waker;

	if (sync)
		return true;
	waker = state->running_rests ? env_waker(env) : NULL;
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

/*
 * Nothing is idle at home, and who wakes the short task is about to sleep: it runs next where the
 * waker runs, without a queue. Only one at a time, only where nobody waits already, and only behind
 * the same cache.
 */
static __always_inline bool place_after_waker(const struct env *env, const struct place_home *home,
					      struct placement *ret)
{
	const struct donor_params *params = env_params(env);
	__s32 cpu = env_this_cpu(env);
	struct donor_cpu *state = env_cpu(env, cpu);

	if (!params->sync_handover || !state || !state->active || state->handed_over ||
	    state->nr_queued || home->d->nr_queued || state->domain != home->domain ||
	    env_task(env)->avg_run_ns >= params->donate_min_run_ns || !env_task_allowed(env, cpu))
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

/* The mask may have changed since it ran: then to the one that it has now. */
static __always_inline void place_pinned(const struct env *env, __s32 prev, struct placement *ret)
{
	ret->cpu = env_task_allowed(env, prev) ? prev : env_task_any_cpu(env);
	ret->exit = PLACE_PINNED;
	if (env_claim(env, ret->cpu))
		place_claimed(env, ret, ret->cpu, PLACE_PINNED);
}

/* sync: its waker is about to sleep. */
static __always_inline struct placement place(const struct env *env, enum donor_hook hook,
					      __s32 prev, bool sync)
{
	struct placement ret = { .donation = _DONATE_EXIT_MAX };
	struct place_home home;

	if (env_task_pinned(env) || !place_find_home(env, prev, &home)) {
		place_pinned(env, prev, &ret);
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
