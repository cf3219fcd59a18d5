/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sched.h>

#include "bpf/abi.h"
#include "bpf/policy/cpu.h"
#include "bpf/policy/task.h"
#include "tests/sim/sim.h"

/* donor in a run: what lives in maps on a real kernel. Tests and property checks look at it. */
struct donor_sim {
	struct donor_params_block params;
	struct donor_cpu cpus[DONOR_MAX_CPUS];
	struct donor_domain domains[DONOR_MAX_DOMAINS];
	struct donor_balance balance;
	__u64 counters[DONOR_NR_COUNTERS];
	cpu_set_t active[DONOR_MAX_DOMAINS];
	cpu_set_t all_active, all_online;
	__s32 inserted_at; /* CPU that was last sent a task to */
	__u32 distributed; /* CPU that the round-robin search gave last */
};

/* What is kept of a task: the policy's part first, and the key that a kernel keeps itself. */
struct donor_sim_task {
	struct donor_task task;
	__u64 key;
};

/* In force. */
static inline const struct donor_params *donor_sim_params(const struct donor_sim *donor)
{
	return &donor->params.slots[donor->params.current];
}

/* Switch, as the service does: the next callback sees the new set, one in flight keeps the old. */
void donor_sim_set_params(struct sim *sim, const struct donor_params *params);
