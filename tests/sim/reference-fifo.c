/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/policies.h"
#include "tests/sim/reference.h"

/* The least that a scheduler can do: an idle CPU if there is one, else one queue, first come. */

static __s32 search(struct sim *sim, struct sim_task *p, __s32 prev)
{
	return reference_claim(sim, p, prev) ? prev : reference_pick(sim, p, NULL, false);
}

static __s32 fifo_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return reference_select_cpu(sim, p, prev, search);
}

static void fifo_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	if (reference_enqueue_idle(sim, p, enq_flags, search))
		return;
	kernel_insert(sim, p, REFERENCE_SHARED, REFERENCE_SLICE_NS, enq_flags);
	reference_kick_idle(sim, p);
}

static void fifo_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	kernel_move_to_local(sim, REFERENCE_SHARED);
}

const struct sim_policy policy_fifo = {
	.name = "fifo",
	.help = "one queue for all, first come, first served",
	.select_cpu = fifo_select_cpu,
	.enqueue = fifo_enqueue,
	.dispatch = fifo_dispatch,
	.init = reference_init_plain,
	.exit = reference_exit,
};
