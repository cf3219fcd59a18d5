/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/*
 * Order within a queue: virtual time, a clock in each domain. A task takes its lag along when it
 * changes domain, so it is neither starved nor favoured there.
 */

/* The task now belongs to the domain. */
static __always_inline void deadline_enter(const struct env *env, __u32 domain)
{
	struct donor_task *task = env_task(env);
	struct donor_domain *to = env_domain(env, domain);
	struct donor_domain *from;

	if (task->domain == domain || !to)
		return;
	from = env_domain(env, task->domain);
	if (from)
		task->vtime_ns += to->vtime_ns - from->vtime_ns;
	else
		task->vtime_ns = to->vtime_ns;
	task->domain = domain;
}

/*
 * Key of the task in the queue of its domain. A sleeper's credit is bounded, or it would shut out
 * the others; and so is a runner's debt: a task of weight 1 is charged a hundredfold, and would
 * wait until the kernel takes it for lost.
 */
static __always_inline __u64 deadline_key(const struct env *env)
{
	struct donor_task *task = env_task(env);
	const struct donor_domain *domain = env_domain(env, task->domain);
	__u64 earliest, latest;

	if (!domain)
		return task->vtime_ns;
	earliest = domain->vtime_ns - env_params(env)->sleeper_credit_ns;
	latest = domain->vtime_ns + env_params(env)->debt_max_ns;
	if (vtime_before(task->vtime_ns, earliest))
		task->vtime_ns = earliest;
	if (vtime_before(latest, task->vtime_ns))
		task->vtime_ns = latest;
	return task->vtime_ns;
}

/* The task runs: the clock of its domain follows. Racy: a lost update costs one step. */
static __always_inline void deadline_advance(const struct env *env)
{
	struct donor_task *task = env_task(env);
	struct donor_domain *domain = env_domain(env, task->domain);

	if (domain && vtime_before(domain->vtime_ns, task->vtime_ns))
		domain->vtime_ns = task->vtime_ns;
}
