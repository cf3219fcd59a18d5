/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/donate.h"

/* An answer to the question where a task goes, and where the search for it begins. */

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
	PLACE_AFTER_RESTER,
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
