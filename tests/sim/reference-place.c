/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/reference.h"

bool reference_may_use(const struct sim_task *p, __s32 cpu)
{
	return cpu >= 0 && CPU_ISSET((size_t)cpu, task_allowed(p));
}

__s32 reference_first_allowed(const struct sim *sim, const struct sim_task *p)
{
	__s32 nr_cpus = (__s32)sim_topology(sim)->nr_cpus;

	for (__s32 cpu = 0; cpu < nr_cpus; cpu++)
		if (reference_may_use(p, cpu) && cpu_is_online(sim, cpu))
			return cpu;
	return task_view(p)->cpu;
}

__u32 reference_domain_of(const struct sim *sim, __s32 cpu)
{
	__u16 domain = cpu < 0 ? DONOR_NONE : sim_topology(sim)->cpus[cpu].domain;

	return domain == DONOR_NONE ? 0 : domain;
}

__s32 reference_pick(struct sim *sim, const struct sim_task *p, const cpu_set_t *within,
		     bool whole_core)
{
	cpu_set_t both;

	if (!within)
		return kernel_pick_idle_cpu(sim, task_allowed(p), whole_core);
	CPU_AND(&both, within, task_allowed(p));
	return kernel_pick_idle_cpu(sim, &both, whole_core);
}

bool reference_claim(struct sim *sim, const struct sim_task *p, __s32 cpu)
{
	return reference_may_use(p, cpu) && kernel_claim_idle(sim, cpu);
}

bool reference_claim_core(struct sim *sim, const struct sim_task *p, __s32 cpu)
{
	return reference_may_use(p, cpu) && kernel_core_is_idle(sim, cpu) &&
	       kernel_claim_idle(sim, cpu);
}

__s32 reference_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, reference_search search)
{
	__s32 cpu = search(sim, p, prev);

	if (cpu < 0)
		return reference_may_use(p, prev) ? prev : reference_first_allowed(sim, p);
	kernel_insert(sim, p, SIM_DSQ_LOCAL, REFERENCE_SLICE_NS, 0);
	return cpu;
}

bool reference_enqueue_idle(struct sim *sim, struct sim_task *p, __u64 enq_flags,
			    reference_search search)
{
	__s32 cpu = search(sim, p, task_view(p)->cpu);

	if (cpu < 0)
		return false;
	kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | (__u64)cpu, REFERENCE_SLICE_NS, enq_flags);
	kernel_kick_cpu(sim, cpu, SIM_KICK_IDLE);
	return true;
}

void reference_kick_idle(struct sim *sim, struct sim_task *p)
{
	__s32 cpu = kernel_pick_idle_cpu(sim, task_allowed(p), false);

	if (cpu >= 0)
		kernel_kick_cpu(sim, cpu, SIM_KICK_IDLE);
}
