/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/env.bpf.h"

#include "bpf/policy/scheduler.h"

/* What ops.init makes from the topology: queues, masks, the state of each CPU. */

static __always_inline int init_mask(struct domain_mask *mask)
{
	struct bpf_cpumask *old;

	if (!mask)
		return -ENOMEM;
	old = bpf_cpumask_create();
	if (!old)
		return -ENOMEM;
	old = bpf_kptr_xchg(&mask->cpus, old);
	if (old)
		bpf_cpumask_release(old);
	return 0;
}

static __always_inline int init_domains(__u32 nr_domains)
{
	__u32 active = ALL_ACTIVE, online = ALL_ONLINE, i;
	int r;

	r = init_mask(bpf_map_lookup_elem(&domain_masks, &active));
	r = r ?: init_mask(bpf_map_lookup_elem(&domain_masks, &online));
	if (r)
		return r;
	bpf_for(i, 0, nr_domains) {
		__u32 domain = i;

		r = scx_bpf_create_dsq(domain_queue(domain), -1);
		if (!r)
			r = init_mask(bpf_map_lookup_elem(&domain_masks, &domain));
		if (r)
			return r;
	}
	return 0;
}

/* Global functions: the verifier looks at each once, and not at the end of every path to it. */
__noinline int leave_idle(__u32 cpu)
{
	struct env env = {};

	scheduler_leave_idle(&env, cpu);
	return 0;
}

__noinline int init_cpu(__u32 cpu)
{
	struct env env = {};

	cpu_set_online(&env, cpu, true);
	return 0;
}

/*
 * A CPU whose place is not known has a queue as well: when it comes, its own kernel threads run on
 * it before donor_cpu_online() is told.
 *
 * The kernel begins with all CPUs marked idle, and so do the hints: a CPU that sleeps on would
 * never tell. The others are put right when they first run a task.
 */
static __always_inline int init_cpus(void)
{
	__u32 zero = 0;
	__s32 i;
	int r;

	bpf_for(i, 0, nr_cpu_ids) {
		__u32 cpu = i;

		r = scx_bpf_create_dsq(cpu_queue(cpu), -1);
		if (!r)
			r = init_mask(bpf_map_lookup_percpu_elem(&scratch_mask, &zero, cpu));
		if (r)
			return r;
		init_cpu(cpu);
		leave_idle(cpu);
	}
	return 0;
}
