/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/state.bpf.h"

/*
 * How many CPUs and whole cores of each domain are idle. The kernel's idle masks decide who gets a
 * CPU; these numbers spare the search where there is nothing to find. They cannot drift: each is
 * changed by the one update that made the difference.
 */

static __always_inline __u32 core_nr_idle(__u32 core_threads)
{
	return core_threads & (CORE_ONLINE_ONE - 1);
}

static __always_inline __u32 core_nr_online(__u32 core_threads)
{
	return core_threads / CORE_ONLINE_ONE;
}

static __always_inline bool core_is_whole_idle(__u32 core_threads)
{
	__u32 nr_idle = core_nr_idle(core_threads);

	return nr_idle && nr_idle == core_nr_online(core_threads);
}

/* A thread of the core changed; tell the domain if the core as a whole did. */
static __always_inline void core_update(__u32 cpu, __s32 delta)
{
	struct donor_cpu_topology *c = find_cpu_topology(cpu);
	struct donor_domain *domain = c ? find_domain(c->domain) : NULL;
	struct cpu_state *core = c ? find_cpu(c->core) : NULL;
	__u32 old;

	if (!core || !domain)
		return;
	old = __sync_fetch_and_add(&core->core_threads, delta);
	if (core_is_whole_idle(old + delta) && !core_is_whole_idle(old))
		__sync_fetch_and_add(&domain->nr_idle_cores, 1);
	else if (!core_is_whole_idle(old + delta) && core_is_whole_idle(old))
		__sync_fetch_and_add(&domain->nr_idle_cores, -1);
}

/* Called more often than the CPU changes: kernels differ in what they repeat. */
static __always_inline void cpu_set_idle(__u32 cpu, bool idle)
{
	struct donor_cpu_topology *c = find_cpu_topology(cpu);
	struct donor_domain *domain = c ? find_domain(c->domain) : NULL;
	struct cpu_state *state = find_cpu(cpu);

	if (!domain || !state || !state->online || state->idle == idle)
		return;
	state->idle = idle;
	core_update(cpu, idle ? CORE_IDLE_ONE : -CORE_IDLE_ONE);
	if (idle)
		domain->last_idle_cpu = cpu;
	__sync_fetch_and_add(&domain->nr_idle_cpus, idle ? 1 : -1);
}

static __always_inline void mask_set_cpu(__u32 domain, __u32 cpu, bool on)
{
	struct bpf_cpumask *mask;

	bpf_rcu_read_lock();
	mask = find_domain_mask(domain);
	if (mask && on)
		bpf_cpumask_set_cpu(cpu, mask);
	else if (mask)
		bpf_cpumask_clear_cpu(cpu, mask);
	bpf_rcu_read_unlock();
}

static __always_inline void cpu_set_online(__u32 cpu, bool online)
{
	struct donor_cpu_topology *c = find_cpu_topology(cpu);
	struct donor_domain *domain = c ? find_domain(c->domain) : NULL;
	struct cpu_state *state = find_cpu(cpu);

	if (!domain || !state || state->online == online)
		return;
	if (!online)
		cpu_set_idle(cpu, false);
	state->online = online;
	core_update(cpu, online ? CORE_ONLINE_ONE : -CORE_ONLINE_ONE);
	__sync_fetch_and_add(&domain->nr_online, online ? 1 : -1);

	mask_set_cpu(c->domain, cpu, online);
	mask_set_cpu(ALL_DOMAINS, cpu, online);
}

/*
 * Wake the CPU if it is idle, once the callback is over. The kernel does it by an irq_work of the
 * CPU that asks. One that is on its way down has run its last: the request would stay in its list,
 * and when it is back none of its kicks, ever, would be carried out.
 */
static __always_inline void kick_idle(__s32 cpu)
{
	struct cpu_state *self = find_cpu(bpf_get_smp_processor_id());

	if (cpu >= 0 && self && self->online && bpf_ksym_exists(scx_bpf_kick_cpu))
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

/*
 * A task is on its way into the queue of the domain. The kernel inserts it after the callback, so a
 * CPU may go idle in between and see an empty queue. Count first, look for an idle CPU then;
 * queue_meets_idle() does it the other way round, so one of the two sees the other. The kick is
 * carried out after the insert.
 */
static __always_inline void queue_announce(struct donor_domain *domain)
{
	__sync_fetch_and_add(&domain->nr_queued, 1);
	if (domain->nr_idle_cpus)
		kick_idle(domain->last_idle_cpu);
}

/*
 * The CPU went idle, and the domain knows: is work on its way to where this CPU would look?
 * Bounded, for it may find another taker.
 */
static __always_inline bool queue_meets_idle(__u32 cpu)
{
	enum { MAX_SELF_KICKS = 3 };
	struct donor_cpu_topology *c = find_cpu_topology(cpu);
	struct donor_domain *domain = c ? find_domain(c->domain) : NULL;
	struct cpu_state *state = find_cpu(cpu);

	if (!state || state->nr_self_kicks >= MAX_SELF_KICKS)
		return false;
	if (!state->nr_queued && !(domain && domain->nr_queued))
		return false;
	state->nr_self_kicks++;
	kick_idle(cpu);
	return true;
}

/* The task left the queue that it was counted in, whichever way. */
static __always_inline void queue_leave(struct donor_task *task)
{
	struct donor_domain *domain = find_domain(task->queued_domain);
	struct cpu_state *state = find_cpu(task->queued_cpu);

	if (domain)
		__sync_fetch_and_add(&domain->nr_queued, -1);
	if (state)
		__sync_fetch_and_add(&state->nr_queued, -1);
	task->queued_domain = DONOR_NONE;
	task->queued_cpu = DONOR_NONE;
}
