/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/* How long a task runs before the next one is looked for. */

/*
 * All that wait in the domain should have their turn within the target. Who may run nowhere but on
 * the CPU waits for this very task: then the shortest slice is long enough.
 */
static __always_inline __u64 slice_ns(const struct env *env, const struct donor_cpu *c,
				      const struct donor_domain *d)
{
	const struct donor_params *params = env_params(env);

	if (c->nr_queued)
		return params->slice_min_ns;
	if (!d->nr_queued)
		return params->slice_max_ns;
	return u64_clamp(params->slice_target_ns * u64_max(d->nr_active, 1) / d->nr_queued,
			 params->slice_min_ns, params->slice_max_ns);
}

/* As above, by number; the longest for a CPU that is not known. */
static __always_inline __u64 slice_on_ns(const struct env *env, __s32 cpu)
{
	const struct donor_cpu *c = env_cpu(env, cpu);
	const struct donor_domain *d = c ? env_domain(env, c->domain) : NULL;

	return d ? slice_ns(env, c, d) : env_params(env)->slice_max_ns;
}
