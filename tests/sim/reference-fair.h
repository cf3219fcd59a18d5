/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/reference.h"

/* What the files of the fair reference share. */

enum {
	FAIR_SLICE_NS = 3000000, /* the kernel's, with eight CPUs or more */
	FAIR_BALANCE_NS = 8000000, /* the kernel's shortest interval, within a cache */
	FAIR_WIDE_EVERY = 8, /* so many of them until one looks at the whole machine */
};

/* Queues are the policy's own: the kernel's can only give away their first. */
struct fair_task {
	struct fair_task *prev, *next;
	struct sim_task *p;
	__s64 vruntime, deadline, vlag;
	__u64 exec_ns; /* of its CPU time, what is in vruntime */
	__s32 cpu; /* whose queue it belongs to; -1: it sleeps */
	__s32 target; /* that select_cpu found; -1: none */
	bool waiting; /* hangs in the queue */
	bool sent; /* and is in the kernel's local one already */
	bool forked; /* has never run */
};

struct fair_queue {
	struct fair_task waiting; /* head of a ring */
	struct fair_task *curr;
	__s64 vruntime; /* mean, when somebody was last here */
	__u32 nr_waiting;
	__u32 nr_balanced;
	__u64 balanced_ns;
};

struct fair {
	struct reference reference;
	__u32 nr_waiting; /* and not sent, everywhere */
	struct fair_queue queues[DONOR_MAX_CPUS];
};

static inline struct fair *fair_of(struct sim *sim)
{
	return sim_policy_data(sim);
}

static inline struct fair_queue *fair_queue_of(struct sim *sim, __s32 cpu)
{
	return &fair_of(sim)->queues[cpu];
}

/* reference-fair-queue.c: lag, eligibility, deadline. */
void fair_place(struct sim *sim, struct fair_task *task, __s32 cpu);
void fair_attach(struct sim *sim, struct fair_task *task);
void fair_detach(struct sim *sim, struct fair_task *task);
void fair_leave(struct sim *sim, struct fair_task *task); /* with its lag */
void fair_account(struct sim *sim, struct fair_task *task);
struct fair_task *fair_pick(struct sim *sim, __s32 cpu, struct fair_task *curr);
bool fair_is_eligible(struct sim *sim, __s32 cpu, const struct fair_task *task);
__u64 fair_slice(const struct fair_task *task);

/* reference-fair-place.c */
__s32 fair_find_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags,
		    bool *ret_idle);

/* reference-fair-balance.c */
struct fair_task *fair_pull(struct sim *sim, __s32 cpu, const cpu_set_t *from);
void fair_balance(struct sim *sim, __s32 cpu);
__u32 fair_nr_running(struct sim *sim, __s32 cpu);
