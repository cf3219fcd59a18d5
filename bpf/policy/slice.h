/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/* How long a task runs before the next one is looked for. */

/*
 * All that wait in the domain should have their turn within the target. Who may run nowhere but on
 * this CPU waits for this very task: then the shortest slice is long enough.
 */
static __always_inline __u64 slice_ns(const struct env *env, __s32 cpu, __u32 domain)
{
	const struct donor_params *params = env_params(env);
	const struct donor_domain *d = env_domain(env, domain);
	const struct donor_cpu *c = env_cpu(env, cpu);
	__u64 share_ns = params->slice_max_ns;

	if (c && c->nr_queued)
		return params->slice_min_ns;
	if (d && d->nr_queued)
		share_ns = params->slice_target_ns * u64_max(d->nr_active, 1) / d->nr_queued;
	return u64_clamp(share_ns, params->slice_min_ns, params->slice_max_ns);
}
