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

/* Called more often than the CPU changes: kernels differ in what they repeat. */
static __always_inline void cpu_set_idle(const struct env *env, __u32 cpu, bool idle)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	const struct donor_cpu_topology *c;
	struct donor_domain *domain;

	if (!state || !state->active || state->idle == idle)
		return;
	c = env_cpu_topology(env, cpu);
	domain = c ? env_domain(env, c->domain) : NULL;
	if (!domain)
		return;
	state->idle = idle;
	core_update(env, c->core, domain, idle ? CORE_IDLE_ONE : -CORE_IDLE_ONE);
	if (idle)
		domain->last_idle_cpu = cpu;
	__sync_fetch_and_add(&domain->nr_idle_cpus, idle ? 1 : -1);
}

/* Take a CPU into use or out of it: unrestricted tasks are placed on active CPUs alone. */
static __always_inline void cpu_set_active(const struct env *env, __u32 cpu, bool active)
{
	const struct donor_cpu_topology *c = env_cpu_topology(env, cpu);
	struct donor_domain *domain = c ? env_domain(env, c->domain) : NULL;
	struct donor_cpu *state = env_cpu(env, cpu);

	if (!domain || !state || state->active == active)
		return;
	if (!active)
		cpu_set_idle(env, cpu, false);
	state->active = active;
	core_update(env, c->core, domain, active ? CORE_ACTIVE_ONE : -CORE_ACTIVE_ONE);
	__sync_fetch_and_add(&domain->nr_active, active ? 1 : -1);
	env_set_active(env, c->domain, cpu, active);
}

static __always_inline void cpu_set_online(const struct env *env, __u32 cpu, bool online)
{
	struct donor_balance *balance = env_balance(env);
	const struct donor_cpu_topology *c = env_cpu_topology(env, cpu);
	struct donor_domain *domain = c ? env_domain(env, c->domain) : NULL;
	struct donor_cpu *state = env_cpu(env, cpu);

	if (!domain || !state || state->online == online)
		return;
	state->online = online;
	__sync_fetch_and_add(&domain->nr_online, online ? 1 : -1);
	env_set_online(env, cpu, online);
	cpu_set_active(env, cpu, online);
	if (balance)
		balance->nr_active = 0; /* the next pass counts anew which CPUs are in use */
}

/* ---- What placement asks. Hints: only a claim decides. ---- */

static __always_inline __u32 idle_core_threads(const struct env *env, __s32 cpu)
{
	const struct donor_cpu_topology *c = env_cpu_topology(env, cpu);
	const struct donor_cpu *core = c ? env_cpu(env, c->core) : NULL;

	return core ? core->core_threads : 0;
}

static __always_inline bool idle_is_whole_core(const struct env *env, __s32 cpu)
{
	return core_is_whole_idle(idle_core_threads(env, cpu));
}

static __always_inline bool idle_is_shared_core(const struct env *env, __s32 cpu)
{
	return core_has_busy_sibling(idle_core_threads(env, cpu));
}

/* A whole idle core of the domain, or any idle CPU; claimed, or -1. */
static __always_inline __s32 idle_claim_core(const struct env *env, __u32 domain)
{
	const struct donor_domain *d = env_domain(env, domain);

	return d && d->nr_idle_cores ? env_claim_in(env, domain, true) : -1;
}

static __always_inline __s32 idle_claim_thread(const struct env *env, __u32 domain)
{
	const struct donor_domain *d = env_domain(env, domain);

	return d && d->nr_idle_cpus ? env_claim_in(env, domain, false) : -1;
}
