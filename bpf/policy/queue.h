/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"
#include "bpf/policy/queue-id.h"

/*
 * The task is on its way into the queue. The kernel inserts it after the callback, so a CPU may go
 * idle in between and see an empty queue. Count first, look for an idle CPU then;
 * queue_meets_idle() does it the other way round, so one of the two sees the other. A kick is
 * carried out after the insert.
 */
static __always_inline void queue_enter_domain(const struct env *env, __u32 domain)
{
	struct donor_domain *d = env_domain(env, domain);
	struct donor_task *task = env_task(env);

	if (!d)
		return;
	task->queued_domain = domain;
	task->queued_weight = env_task_weight(env);
	__sync_fetch_and_add(&d->queued_weight, task->queued_weight);
	__sync_fetch_and_add(&d->nr_queued, 1);
	if (d->nr_idle_cpus)
		env_kick_idle(env, d->last_idle_cpu);
}

static __always_inline void queue_enter_cpu(const struct env *env, __s32 cpu)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	struct donor_domain *d = state ? env_domain(env, state->domain) : NULL;

	if (!d)
		return;
	env_task(env)->queued_cpu = cpu;
	__sync_fetch_and_add(&state->nr_queued, 1);
	__sync_fetch_and_add(&d->nr_restricted, 1);
	if (state->idle ||
	    !state->active) /* a kick of a busy CPU, itself even, costs an interrupt */
		env_kick_idle(env, cpu);
}

static __always_inline void queue_leave_domain(const struct env *env, struct donor_task *task)
{
	struct donor_domain *d = env_domain(env, task->queued_domain);

	task->queued_domain = DONOR_NONE;
	if (!d)
		return;
	__sync_fetch_and_add(&d->nr_queued, -1);
	__sync_fetch_and_add(&d->queued_weight, -(__u64)task->queued_weight);
}

static __always_inline void queue_leave_cpu(const struct env *env, struct donor_task *task)
{
	struct donor_cpu *state = env_cpu(env, task->queued_cpu);
	struct donor_domain *d = state ? env_domain(env, state->domain) : NULL;

	task->queued_cpu = DONOR_NONE;
	if (!d)
		return;
	__sync_fetch_and_add(&state->nr_queued, -1);
	__sync_fetch_and_add(&d->nr_restricted, -1);
}

/* The task left the queue that it was counted in, whichever way. */
static __always_inline void queue_leave(const struct env *env)
{
	struct donor_task *task = env_task(env);

	if (task->queued_domain != DONOR_NONE)
		queue_leave_domain(env, task);
	if (task->queued_cpu != DONOR_NONE)
		queue_leave_cpu(env, task);
}

/*
 * The CPU went idle, and the domain knows: is work on its way to where this CPU would look?
 * Bounded, for it may find another taker.
 */
static __always_inline bool queue_meets_idle(const struct env *env, __u32 cpu,
					     struct donor_cpu *state,
					     const struct donor_domain *domain)
{
	enum { MAX_SELF_KICKS = 3 };

	if (!state->nr_queued && !(state->active && domain->nr_queued))
		return false;
	if (state->nr_self_kicks >= MAX_SELF_KICKS)
		return false;
	state->nr_self_kicks++;
	env_kick_idle(env, cpu);
	return true;
}

/* ---- At dispatch: true if a task came to this CPU. ---- */

static __always_inline bool queue_take(const struct env *env, __u64 queue,
				       enum donor_counter counter)
{
	if (!env_take(env, queue))
		return false;
	env_count(env, counter);
	return true;
}

/*
 * Both the queue of the CPU and that of its domain hold work: the smaller key first, or by turns
 * where the kernel cannot show a head. Neither may starve the other.
 */
static __always_inline bool queue_domain_goes_first(const struct env *env, struct donor_cpu *state,
						    __s32 cpu, __u32 home)
{
	__u64 of_cpu = 0, of_domain = 0;

	if (env_queue_head(env, cpu_queue(cpu), &of_cpu) &&
	    env_queue_head(env, domain_queue(home), &of_domain))
		return vtime_before(of_domain, of_cpu);
	state->domain_turn = !state->domain_turn;
	return state->domain_turn;
}

static __always_inline bool queue_take_at_home(const struct env *env, __s32 cpu,
					       struct donor_cpu *state,
					       const struct donor_domain *domain)
{
	__u32 home = state->domain;

	if (!state->nr_queued)
		return domain->nr_queued &&
		       queue_take(env, domain_queue(home), DONOR_COUNT_dispatch_domain);
	if (domain->nr_queued && queue_domain_goes_first(env, state, cpu, home) &&
	    queue_take(env, domain_queue(home), DONOR_COUNT_dispatch_domain))
		return true;
	return queue_take(env, cpu_queue(cpu), DONOR_COUNT_dispatch_cpu) ||
	       queue_take(env, domain_queue(home), DONOR_COUNT_dispatch_domain);
}

/* A task that waits at another CPU of the domain, but may run here as well. */
static __always_inline bool queue_take_restricted(const struct env *env,
						  const struct donor_cpu *state,
						  const struct donor_domain *domain)
{
	__u32 end, i;

	if (!domain->nr_restricted)
		return false;
	end = env_nr_cpus(env);
	env_for(i, 0, end) {
		const struct donor_cpu *other = env_cpu(env, i);

		if (other && other->domain == state->domain && other->nr_queued &&
		    queue_take(env, cpu_queue(i), DONOR_COUNT_dispatch_restricted))
			return true;
	}
	return false;
}
