/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/policies.h"
#include "tests/sim/reference.h"

/*
 * Cache above all: a task looks for a CPU in the domain where it ran last, and waits there if none
 * is idle. Idle CPUs elsewhere take from that queue, nearest domain first; nobody is given away.
 */

/* Where the task is at home: where it ran, or the first place that it may go to. */
static __u32 home_of(struct sim *sim, struct sim_task *p, __s32 cpu)
{
	struct reference *r = sim_policy_data(sim);
	__u32 domain = reference_domain_of(sim, cpu);
	cpu_set_t both;

	CPU_AND(&both, &r->domains[domain], task_allowed(p));
	if (CPU_COUNT(&both))
		return domain;
	return reference_domain_of(sim, reference_first_allowed(sim, p));
}

static __s32 search(struct sim *sim, struct sim_task *p, __s32 prev)
{
	struct reference *r = sim_policy_data(sim);
	const cpu_set_t *home = &r->domains[home_of(sim, p, prev)];
	__s32 cpu;

	if (reference_claim_core(sim, p, prev))
		return prev;
	cpu = reference_pick(sim, p, home, true);
	if (cpu >= 0)
		return cpu;
	return reference_claim(sim, p, prev) ? prev : reference_pick(sim, p, home, false);
}

static __s32 sticky_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return reference_select_cpu(sim, p, prev, search);
}

static void sticky_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	__u32 home = home_of(sim, p, task_view(p)->cpu);

	if (reference_enqueue_idle(sim, p, enq_flags, search))
		return;
	kernel_insert_vtime(sim, p, REFERENCE_DOMAIN + home, REFERENCE_SLICE_NS,
			    reference_vtime(sim, p), enq_flags);
	reference_kick_idle(sim, p);
}

static void sticky_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	const struct donor_topology *t = sim_topology(sim);
	__u32 home = reference_domain_of(sim, cpu);

	if (kernel_move_to_local(sim, REFERENCE_DOMAIN + home))
		return;
	for (__u32 i = 0; i + 1 < t->nr_domains; i++)
		if (kernel_move_to_local(sim, REFERENCE_DOMAIN + t->domains[home].neighbours[i]))
			return;
}

const struct sim_policy policy_sticky = {
	.name = "sticky",
	.help = "idle CPUs of the own domain only, then its queue; idle CPUs elsewhere steal",
	.select_cpu = sticky_select_cpu,
	.enqueue = sticky_enqueue,
	.dispatch = sticky_dispatch,
	.running = reference_running,
	.stopping = reference_stopping,
	.init_task = reference_init_task,
	.init = reference_init_plain,
	.exit = reference_exit,
};
