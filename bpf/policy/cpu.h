/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"

/* What the scheduler knows of a CPU. Its run queue's lock guards what is not atomic. */
struct donor_cpu {
	/*
	 * Of the core, kept at its lowest CPU: threads in use and threads idle in one word, so that
	 * one atomic addition tells when the core as a whole became idle or busy.
	 */
	__u32 core_threads;
	__u32 idle; /* 1: and counted as such, so active; changed by exchange alone */
	bool online;
	bool active; /* in use; compaction lets the others sleep */
	__u8 nr_self_kicks; /* in a row, with nothing run in between */
	bool domain_turn; /* where heads cannot be compared: whose turn it is */
	bool handed_over; /* a task waits for the running one to sleep, see place_may_follow() */
	bool doubted; /* counted as idle, and the kernel said no when it was asked last */
	__u16 domain; /* copies of its topology, to spare a look-up */
	__u16 core;
	__u16 sibling;
	__u32 perf; /* last asked of the frequency governor */
	__u32 reserved1;
	__u64 nr_queued; /* tasks in its own queue, or on their way into it */
	__u64 preempted_at_ns;
	__u64 reserved2[3];

	/* Written when a task starts and stops, read by the balance pass. */
	__u64 running_since_ns; /* 0: no task of ours */
	__u64 busy_ns; /* by tasks that have stopped */
	__u64 busy_seen_ns; /* at the last balance pass */
	__u32 running_weight;
	__u32 running_criticality;
	__u32 running_perf; /* that the task asks for */
	__u32 running_own_criticality; /* without what it inherited or was given */
	bool running_wakes_anew; /* its next wakeup of another task is of no batch that it counted */
	bool running_rests; /* it sleeps a good part of the time */
	__u8 reserved3[2];
	__u32 reserved4[5];
} __attribute__((aligned(64)));

enum {
	CORE_IDLE_ONE = 1,
	CORE_ACTIVE_ONE = 1 << 16,
};

static __always_inline __u32 core_nr_idle(__u32 core_threads)
{
	return core_threads & (CORE_ACTIVE_ONE - 1);
}

static __always_inline __u32 core_nr_active(__u32 core_threads)
{
	return core_threads / CORE_ACTIVE_ONE;
}

static __always_inline bool core_is_whole_idle(__u32 core_threads)
{
	__u32 nr_idle = core_nr_idle(core_threads);

	return nr_idle && nr_idle == core_nr_active(core_threads);
}

/* One thread alone is busy. */
static __always_inline bool core_is_all_but_idle(__u32 core_threads)
{
	return core_nr_active(core_threads) == core_nr_idle(core_threads) + 1;
}

/* Another thread than the one that asks is busy. */
static __always_inline bool core_has_busy_sibling(__u32 core_threads)
{
	return core_nr_active(core_threads) > core_nr_idle(core_threads) + 1;
}
