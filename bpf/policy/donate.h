/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/*
 * Donation: on a machine with few runnable tasks the queues are empty, so stealing finds nothing,
 * while the cores of one domain are crowded and those of another sleep. A domain without an idle
 * core therefore gives a task that wakes or is queued again to a whole idle core of the nearest
 * domain that has one.
 */

/* How it ended. The order is that of the counters of a hook. */
enum donate_exit {
	DONATE_OK,
	DONATE_OFF,
	DONATE_RESTRICTED,
	DONATE_SHORT,
	DONATE_COOLING,
	DONATE_NO_CORE,
	DONATE_RACE,
	_DONATE_EXIT_MAX,
};

/* Does the task want a whole core badly enough to leave its cache for it? */
enum donate_need {
	DONATE_FOR_CORE, /* the alternative is half a core at home */
	DONATE_FOR_CPU, /* the alternative is to wait */
};

static __always_inline bool donate_is_on(const struct donor_params *params, enum donor_hook hook)
{
	return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;
}

/* DONATE_OK: look for a recipient. */
static __always_inline enum donate_exit donate_gate(const struct env *env, enum donor_hook hook,
						    enum donate_need need)
{
	const struct donor_params *params = env_params(env);
	const struct donor_task *task = env_task(env);

	if (!donate_is_on(params, hook))
		return DONATE_OFF;
	if (env_task_pinned(env))
		return DONATE_RESTRICTED;
	if (need == DONATE_FOR_CORE && !task_is_fresh(task) &&
	    task->avg_run_ns < params->donate_min_run_ns)
		return DONATE_SHORT;
	if (task->donated_at_ns &&
	    env_now_ns(env) - task->donated_at_ns < params->donate_cooldown_ns)
		return DONATE_COOLING;
	return DONATE_OK;
}

/* A task may go to its own kind of core, and up to a faster one where the mode says so. */
static __always_inline bool donate_kind_fits(const struct donor_params *params,
					     const struct donor_domain_topology *from,
					     const struct donor_domain_topology *to)
{
	return to->kind == from->kind || (params->donate_cross_kind && to->kind > from->kind);
}

static __always_inline void donate_commit(const struct env *env, __u32 from, __u32 to)
{
	struct donor_domain *giver = env_domain(env, from);
	struct donor_domain *taker = env_domain(env, to);

	env_task(env)->donated_at_ns = env_now_ns(env);
	if (giver && taker) {
		__sync_fetch_and_add(&giver->nr_given, 1);
		__sync_fetch_and_add(&taker->nr_taken, 1);
	}
}

/* How many of the neighbours, nearest first, a donation may look at. */
static __always_inline __u32 donate_reach(const struct donor_params *params,
					  const struct donor_domain_topology *home)
{
	__u32 farthest = u64_min(params->donate_max_distance, DONOR_NR_DISTANCES - 1);

	return u64_min(home->distance_end[farthest], params->donate_max_walk);
}

/* Visit the neighbours, nearest first. The hint spares the search; the claim decides. */
static __always_inline enum donate_exit donate_walk(const struct env *env, __u32 from,
						    __s32 *ret_cpu)
{
	const struct donor_params *params = env_params(env);
	const struct donor_domain_topology *home = env_domain_topology(env, from);
	enum donate_exit exit = DONATE_NO_CORE;
	__u32 end = home ? donate_reach(params, home) : 0;
	__u32 i;

	env_for(i, 0, end) {
		__u32 to = home->neighbours[i & (DONOR_MAX_DOMAINS - 1)];
		const struct donor_domain *d = env_domain(env, to);
		const struct donor_domain_topology *t;
		__s32 cpu;

		if (!d || !d->nr_idle_cores)
			continue;
		t = env_domain_topology(env, to);
		if (!t || !donate_kind_fits(params, home, t))
			continue;
		cpu = env_claim_core(env, to);
		if (cpu >= 0) {
			donate_commit(env, from, to);
			*ret_cpu = cpu;
			return DONATE_OK;
		}
		exit = DONATE_RACE;
	}
	return exit;
}

/* The domain has no idle core: give the task away. *ret_cpu is claimed if the answer is OK. */
static __always_inline enum donate_exit donate(const struct env *env, enum donor_hook hook,
					       enum donate_need need, __u32 from, __s32 *ret_cpu)
{
	enum donate_exit exit = donate_gate(env, hook, need);

	return exit == DONATE_OK ? donate_walk(env, from, ret_cpu) : exit;
}
