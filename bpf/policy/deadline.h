/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"
#include "bpf/policy/criticality.h"

/*
 * Order within a queue: virtual time, a clock in each domain, and from there a deadline that is the
 * nearer the more critical the task. A task takes its lag along when it changes domain, so it is
 * neither starved nor favoured there.
 */

/* The task now belongs to the domain. */
static __always_inline void deadline_enter(const struct env *env, __u32 domain)
{
	struct donor_task *task = env_task(env);
	struct donor_domain *from, *to;

	if (task->domain == domain)
		return;
	to = env_domain(env, domain);
	if (!to)
		return;
	from = env_domain(env, task->domain);
	if (from)
		task->vtime_ns += to->vtime_ns - from->vtime_ns;
	else
		task->vtime_ns = to->vtime_ns;
	task->domain = domain;
}

/*
 * A sleeper's credit is bounded, or it would shut out the others; and so is a runner's debt: a task
 * of weight 1 is charged a hundredfold, and would wait until the kernel takes it for lost.
 */
static __always_inline void deadline_bound_lag(const struct donor_params *params,
					       struct donor_task *task, __u64 domain_vtime_ns)
{
	__u64 earliest = domain_vtime_ns - params->sleeper_credit_ns;
	__u64 latest = domain_vtime_ns + params->debt_max_ns;

	if (vtime_before(task->vtime_ns, earliest))
		task->vtime_ns = earliest;
	if (vtime_before(latest, task->vtime_ns))
		task->vtime_ns = latest;
}

/*
 * How long it may wait, were it alone: falls with the square of its criticality. LAVD has the same
 * square; its scale is the most critical task of the moment, ours the least critical there can be,
 * so that a deadline does not depend on what else runs. Not stretched for light tasks: their debt
 * is long enough already.
 */
static __always_inline __u64 deadline_latency_ns(const struct donor_params *params,
						 __u32 criticality)
{
	__u64 c = u64_max(criticality, CRITICALITY_LEAST);

	return u64_max(params->latency_max_ns * (CRITICALITY_LEAST * CRITICALITY_LEAST) / (c * c),
		       params->latency_min_ns);
}

/* Key of the task in the queue of its domain. */
static __always_inline __u64 deadline_key(const struct env *env)
{
	struct donor_task *task = env_task(env);
	const struct donor_domain *domain = env_domain(env, task->domain);

	if (!domain)
		return task->vtime_ns;
	deadline_bound_lag(env_params(env), task, domain->vtime_ns);
	return task->vtime_ns + deadline_latency_ns(env_params(env), criticality_now(task));
}

/* The task runs: the clock of its domain follows. Racy: a lost update costs one step. */
static __always_inline void deadline_advance(const struct donor_task *task,
					     struct donor_domain *domain)
{
	if (vtime_before(domain->vtime_ns, task->vtime_ns))
		domain->vtime_ns = task->vtime_ns;
}
