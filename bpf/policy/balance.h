/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/donate.h"
#include "bpf/policy/place.h"
#include "bpf/policy/queue.h"

/* The overload side: work moves to a CPU that runs out of it, and a running task to a whole core. */

/* Take a queued task of the nearest domain that has one. Its domain, or DONOR_NONE. */
static __always_inline __u32 balance_steal(const struct env *env, __u32 home)
{
	const struct donor_params *params = env_params(env);
	const struct donor_domain_topology *from = env_domain_topology(env, home);
	__u32 end, i;

	if (!params->steal || !from)
		return DONOR_NONE;
	end = from->distance_end[DONOR_DISTANCE_REMOTE];
	if (!end)
		return DONOR_NONE; /* to begin a loop costs more than that */
	env_for(i, 0, end) {
		__u32 victim = from->neighbours[i & (DONOR_MAX_DOMAINS - 1)];
		const struct donor_domain *d = env_domain(env, victim);

		if (d && d->nr_queued && env_take(env, domain_queue(victim)))
			return victim;
	}
	return DONOR_NONE;
}

/* The balance pass found that another domain's tasks get less service: fetch one of them. */
static __always_inline __u32 balance_pull(const struct env *env, struct donor_domain *d)
{
	__u32 victim;

	if (d->pull <= 0 || !env_params(env)->steal)
		return DONOR_NONE;
	victim = d->pull_from;
	if (__sync_fetch_and_add(&d->pull, -1) <= 0 || !env_take(env, domain_queue(victim)))
		return DONOR_NONE;
	return victim;
}

/*
 * The task was queued in the domain, where no CPU is idle: an idle CPU elsewhere that is to wake up
 * and steal it, or -1. Else an idle machine's other half would sleep beside a queue. Claimed, so
 * that the next task wakes the next CPU.
 */
static __always_inline __s32 balance_thief(const struct env *env, __u32 home)
{
	const struct donor_domain_topology *from = env_domain_topology(env, home);
	__u32 end, i;

	if (!env_params(env)->steal || !from)
		return -1;
	end = from->distance_end[DONOR_DISTANCE_REMOTE];
	env_for(i, 0, end) {
		__u32 domain = from->neighbours[i & (DONOR_MAX_DOMAINS - 1)];
		const struct donor_domain *d = env_domain(env, domain);
		__s32 cpu = d ? idle_claim_thread(env, domain, d) : -1;

		if (cpu >= 0)
			return cpu;
	}
	return -1;
}

/* And where there is no task to ask what it may use: by the hint. */
static __always_inline __s32 balance_sleeper(const struct env *env, __u32 home)
{
	const struct donor_domain_topology *from = env_domain_topology(env, home);
	__u32 end, i;

	if (!env_params(env)->steal || !from)
		return -1;
	end = from->distance_end[DONOR_DISTANCE_REMOTE];
	env_for(i, 0, end) {
		const struct donor_domain *d;

		d = env_domain(env, from->neighbours[i & (DONOR_MAX_DOMAINS - 1)]);
		if (d && d->nr_idle_cpus)
			return d->last_idle_cpu;
	}
	return -1;
}

/* A whole idle core at home, or where donation at enqueue could take the task. A hint. */
static __always_inline bool balance_core_in_reach(const struct env *env, __u32 home)
{
	struct donate_giver giver;
	__u32 end, i;

	if (!donate_look_up(env, home, &giver))
		return false;
	if (giver.d->nr_idle_cores)
		return true;
	if (donate_gate(env, DONOR_HOOK_ENQUEUE, DONATE_FOR_CORE) != DONATE_OK ||
	    donate_budget(env, &giver) != DONATE_OK)
		return false;
	end = donate_reach(env_params(env), giver.topology);
	env_for(i, 0, end) {
		__u32 to = giver.topology->neighbours[i & (DONOR_MAX_DOMAINS - 1)];

		if (donate_admits(env, &giver, to) == DONATE_OK)
			return true;
	}
	return false;
}

/*
 * The task could go on where it is. Stop it for a new placement if its CPU is to go out of use, or
 * if it shares its core while a whole one is idle; place_again() then looks closer. The second at
 * most once per interval.
 */
static __always_inline bool balance_should_replace(const struct env *env,
						   const struct donor_cpu *state)
{
	const struct donor_params *params = env_params(env);
	struct donor_task *task = env_task(env);

	if (env_task_pinned(env))
		return false;
	if (!state->active)
		return true;
	if (!params->replace_interval_ns || !idle_is_shared_core(env, state) ||
	    (task->replaced_at_ns &&
	     env_now_ns(env) - task->replaced_at_ns < params->replace_interval_ns) ||
	    !balance_core_in_reach(env, state->domain))
		return false;
	task->replaced_at_ns = env_now_ns(env);
	return true;
}
