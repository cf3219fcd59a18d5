/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/machine.h"
#include "tests/sim/reference-fair.h"

/*
 * A wakeup stays within the cache of its previous CPU or its waker's: that CPU if idle, an idle
 * core there, an idle CPU there. A fork goes to the domain with most idle CPUs.
 */

static __u32 nr_idle_of(struct sim *sim, const struct sim_task *p, __u32 domain)
{
	struct reference *r = sim_policy_data(sim);
	__u32 nr = 0;

	for (__u32 cpu = 0; cpu < r->nr_cpus; cpu++)
		nr += CPU_ISSET(cpu, &r->domains[domain]) && reference_may_use(p, (__s32)cpu) &&
		      kernel_test_idle(sim, (__s32)cpu);
	return nr;
}

static __s32 least_loaded(struct sim *sim, const struct sim_task *p)
{
	struct reference *r = sim_policy_data(sim);
	__s32 best = -1;

	for (__u32 cpu = 0; cpu < r->nr_cpus; cpu++)
		if (reference_may_use(p, (__s32)cpu) && cpu_is_online(sim, (__s32)cpu) &&
		    (best < 0 || fair_nr_running(sim, (__s32)cpu) < fair_nr_running(sim, best)))
			best = (__s32)cpu;
	return best < 0 ? task_view(p)->cpu : best;
}

static __s32 place_fork(struct sim *sim, struct sim_task *p, __s32 prev, bool *ret_idle)
{
	struct reference *r = sim_policy_data(sim);
	__u32 best = reference_domain_of(sim, prev);
	__u32 most = nr_idle_of(sim, p, best);
	__s32 cpu;

	for (__u32 d = 0; d < r->nr_domains; d++) {
		__u32 nr = nr_idle_of(sim, p, d);

		if (nr <= most)
			continue;
		most = nr;
		best = d;
	}
	cpu = reference_pick(sim, p, &r->domains[best], true);
	if (cpu < 0)
		cpu = reference_pick(sim, p, &r->domains[best], false);
	*ret_idle = cpu >= 0;
	return cpu < 0 ? least_loaded(sim, p) : cpu;
}

/* The waker's CPU instead of the previous one, if it is about to be free. */
static __s32 affine(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	struct sim_task *waker = kernel_current(sim);
	__s32 here = waker ? task_view(waker)->cpu : -1;

	if (!(wake_flags & SIM_WAKE_SYNC) || !reference_may_use(p, here))
		return prev;
	return fair_nr_running(sim, here) == 1 && !kernel_test_idle(sim, prev) ? here : prev;
}

__s32 fair_find_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags,
		    bool *ret_idle)
{
	struct reference *r = sim_policy_data(sim);
	__s32 target, cpu;

	*ret_idle = false;
	if (wake_flags & SIM_WAKE_FORK)
		return place_fork(sim, p, prev, ret_idle);
	target = affine(sim, p, prev, wake_flags);
	if (!reference_may_use(p, target) || !cpu_is_online(sim, target))
		target = reference_first_allowed(sim, p);
	*ret_idle = true;
	if (reference_claim(sim, p, target))
		return target;
	if (target != prev && reference_claim(sim, p, prev) &&
	    reference_domain_of(sim, prev) == reference_domain_of(sim, target))
		return prev;
	cpu = reference_pick(sim, p, &r->domains[reference_domain_of(sim, target)], true);
	if (cpu < 0 && reference_claim(sim, p, sim_machine(sim)->topology.cpus[target].sibling))
		cpu = sim_machine(sim)->topology.cpus[target].sibling;
	if (cpu < 0)
		cpu = reference_pick(sim, p, &r->domains[reference_domain_of(sim, target)], false);
	*ret_idle = cpu >= 0;
	return cpu < 0 ? target : cpu;
}
