/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/policies.h"
#include "tests/sim/reference.h"

/*
 * What an omniscient placement would do with a machine that is not full: any whole idle core, the
 * nearest first, before any half of one. One queue by virtual time when all is busy.
 */
static __s32 search(struct sim *sim, struct sim_task *p, __s32 prev)
{
	struct reference *r = sim_policy_data(sim);
	__s32 cpu;

	if (reference_claim_core(sim, p, prev))
		return prev;
	cpu = reference_pick(sim, p, &r->domains[reference_domain_of(sim, prev)], true);
	if (cpu < 0)
		cpu = reference_pick(sim, p, NULL, true);
	if (cpu >= 0)
		return cpu;
	return reference_claim(sim, p, prev) ? prev : reference_pick(sim, p, NULL, false);
}

static __s32 icf_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return reference_select_cpu(sim, p, prev, search);
}

static void icf_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	if (reference_enqueue_idle(sim, p, enq_flags, search))
		return;
	kernel_insert_vtime(sim, p, REFERENCE_SHARED, REFERENCE_SLICE_NS, reference_vtime(sim, p),
			    enq_flags);
	reference_kick_idle(sim, p);
}

static void icf_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	kernel_move_to_local(sim, REFERENCE_SHARED);
}

const struct sim_policy policy_idle_core_first = {
	.name = "idle-core-first",
	.help = "any whole idle core, then any idle CPU, then one queue by virtual time",
	.select_cpu = icf_select_cpu,
	.enqueue = icf_enqueue,
	.dispatch = icf_dispatch,
	.running = reference_running,
	.stopping = reference_stopping,
	.init_task = reference_init_task,
	.init = reference_init_plain,
	.exit = reference_exit,
};
