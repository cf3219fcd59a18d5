/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/*
 * Which CPUs are in use, and how many of them and of the whole cores are idle, domain by domain.
 * The kernel's idle masks decide who gets a CPU; these numbers spare the search where there is
 * nothing to find. They cannot drift: each is changed by the one update that made the difference.
 */

/* A thread of the core changed; tell the domain if the core as a whole did. */
static __always_inline void core_update(const struct env *env, __u32 core_id,
					struct donor_domain *domain, __s32 delta)
{
	struct donor_cpu *core = env_cpu(env, core_id);
	__u32 old;

	if (!core)
		return;
	old = __sync_fetch_and_add(&core->core_threads, delta);
	if (core_is_whole_idle(old + delta) && !core_is_whole_idle(old))
		__sync_fetch_and_add(&domain->nr_idle_cores, 1);
	else if (!core_is_whole_idle(old + delta) && core_is_whole_idle(old))
		__sync_fetch_and_add(&domain->nr_idle_cores, -1);
}

/*
 * Called more often than the CPU changes: when it finds nothing to run, when it runs a task, and by
 * who claims it for a task, so that the hints do not lag behind a burst of claims.
 */
static __always_inline void cpu_set_idle(const struct env *env, __u32 cpu, struct donor_cpu *state,
					 struct donor_domain *domain, bool idle)
{
	if (!state->active || state->idle == idle ||
	    __sync_lock_test_and_set(&state->idle, idle) == idle)
		return;
	core_update(env, state->core, domain, idle ? CORE_IDLE_ONE : -CORE_IDLE_ONE);
	if (idle)
		domain->last_idle_cpu = cpu;
	__sync_fetch_and_add(&domain->nr_idle_cpus, idle ? 1 : -1);
}

/*
 * Believe the kernel. A CPU that comes into use may sleep on without a word, and one that runs
 * tasks which are not ours, of a real-time class, never tells that it is busy. That is believed only
 * at the second time: the CPU may be on its way to sleep, which the kernel says a moment later.
 */
static __always_inline void cpu_look_idle(const struct env *env, __u32 cpu, struct donor_cpu *state,
					  struct donor_domain *domain)
{
	enum env_idle idle = state->running_since_ns ? ENV_IDLE_UNKNOWN : env_idle_of(env, cpu);
	bool doubt = state->idle && idle == ENV_IDLE_NO;

	if (idle == ENV_IDLE_YES || (doubt && state->doubted))
		cpu_set_idle(env, cpu, state, domain, idle == ENV_IDLE_YES);
	state->doubted = doubt;
}

/* Take a CPU into use or out of it: unrestricted tasks are placed on active CPUs alone. */
static __always_inline void cpu_set_active(const struct env *env, __u32 cpu,
					   struct donor_cpu *state, bool active)
{
	struct donor_domain *domain = env_domain(env, state->domain);

	if (!domain || state->active == active)
		return;
	if (!active)
		cpu_set_idle(env, cpu, state, domain, false);
	state->active = active;
	core_update(env, state->core, domain, active ? CORE_ACTIVE_ONE : -CORE_ACTIVE_ONE);
	__sync_fetch_and_add(&domain->nr_active, active ? 1 : -1);
	env_set_active(env, state->domain, cpu, active);
}

static __always_inline void cpu_set_online(const struct env *env, __u32 cpu, bool online)
{
	const struct donor_cpu_topology *c = env_cpu_topology(env, cpu);
	struct donor_domain *domain = c ? env_domain(env, c->domain) : NULL;
	struct donor_balance *balance = env_balance(env);
	struct donor_cpu *state = env_cpu(env, cpu);

	if (!domain || !state || state->online == online)
		return;
	state->online = online;
	state->domain = c->domain;
	state->core = c->core;
	state->sibling = c->sibling;
	__sync_fetch_and_add(&domain->nr_online, online ? 1 : -1);
	env_set_online(env, cpu, online);
	cpu_set_active(env, cpu, state, online);
	if (balance)
		balance->nr_active = 0; /* the next pass counts anew which CPUs are in use */
}

/* ---- What placement asks. Hints: only a claim decides. ---- */

static __always_inline __u32 idle_core_threads(const struct env *env, const struct donor_cpu *state)
{
	const struct donor_cpu *core = env_cpu(env, state->core);

	return core ? core->core_threads : 0;
}

static __always_inline bool idle_is_whole_core(const struct env *env, const struct donor_cpu *state)
{
	return state->idle && core_is_whole_idle(idle_core_threads(env, state));
}

static __always_inline bool idle_is_shared_core(const struct env *env, const struct donor_cpu *state)
{
	return core_has_busy_sibling(idle_core_threads(env, state));
}

/*
 * A CPU whose core is whole idle by the hints, or -1. The kernel changes its mask of such cores
 * without atomics, and one that is lost from it stays so for as long as it sleeps.
 */
static __always_inline __s32 idle_find_core(const struct env *env, __u32 domain)
{
	__u32 end = env_nr_cpus(env), i;

	env_for(i, 0, end) {
		const struct donor_cpu *state = env_cpu(env, i);

		if (state && state->domain == domain && idle_is_whole_core(env, state))
			return i;
	}
	return -1;
}

/* A whole idle core of the domain, or any idle CPU; claimed, or -1. */
static __always_inline __s32 idle_claim_core(const struct env *env, __u32 domain,
					     const struct donor_domain *d)
{
	__s32 cpu;

	if (!d->nr_idle_cores)
		return -1;
	cpu = env_claim_in(env, domain, true);
	return cpu >= 0 ? cpu : env_claim_lost_core(env, domain);
}

static __always_inline __s32 idle_claim_thread(const struct env *env, __u32 domain,
					       const struct donor_domain *d)
{
	return d->nr_idle_cpus ? env_claim_in(env, domain, false) : -1;
}
