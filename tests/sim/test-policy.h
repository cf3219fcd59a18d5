/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/* One queue for all, and idle CPUs by the kernel's masks. Tests replace what they look at. */
#pragma GCC diagnostic ignored "-Woverride-init"

enum {
	TEST_DSQ = 7,
};

static inline int fifo_init(struct sim *sim)
{
	return kernel_create_dsq(sim, TEST_DSQ);
}

static inline __s32 fifo_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev,
				    __u64 wake_flags)
{
	__s32 cpu = prev;

	if (!CPU_ISSET(prev, task_allowed(p)) || !kernel_claim_idle(sim, prev))
		cpu = kernel_pick_idle_cpu(sim, task_allowed(p), false);
	if (cpu < 0)
		return prev;
	kernel_insert(sim, p, SIM_DSQ_LOCAL, SIM_SLICE_DEFAULT, 0);
	return cpu;
}

static inline void fifo_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	__s32 cpu;

	kernel_insert(sim, p, TEST_DSQ, SIM_SLICE_DEFAULT, enq_flags);
	cpu = kernel_pick_idle_cpu(sim, task_allowed(p), false);
	if (cpu >= 0)
		kernel_kick_cpu(sim, cpu, SIM_KICK_IDLE);
}

static inline void fifo_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	kernel_move_to_local(sim, TEST_DSQ);
}

#define FIFO_POLICY                                                                                \
	.name = "test", .select_cpu = fifo_select_cpu, .enqueue = fifo_enqueue,                    \
	.dispatch = fifo_dispatch, .init = fifo_init
