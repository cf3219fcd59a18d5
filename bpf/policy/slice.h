/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.h"

/* How long a task runs before the next one is looked for. */

/* All that wait in the domain should have their turn within the target. */
static __always_inline __u64 slice_ns(const struct env *env, __u32 domain)
{
	const struct donor_params *params = env_params(env);
	const struct donor_domain *d = env_domain(env, domain);
	__u64 share_ns = params->slice_max_ns;

	if (d && d->nr_queued)
		share_ns = params->slice_target_ns * u64_max(d->nr_online, 1) / d->nr_queued;
	return u64_clamp(share_ns, params->slice_min_ns, params->slice_max_ns);
}
