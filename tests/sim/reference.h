/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/* What the policies that donor is compared with have in common. */

enum {
	REFERENCE_SLICE_NS = 5000000, /* of the simple ones; assumed */
	REFERENCE_SHARED = 1, /* queue for all */
	REFERENCE_CPU = 1 << 16, /* + CPU: its queue */
	REFERENCE_DOMAIN = 2 << 16, /* + domain: its queue */
};

/* State of a policy begins with this. */
struct reference {
	__u64 vtime_ns; /* of the task that ran furthest */
	__u32 nr_cpus, nr_domains;
	cpu_set_t all;
	cpu_set_t domains[DONOR_MAX_DOMAINS];
};

/* Of a task: virtual time, by weight. */
struct reference_task {
	__u64 vtime_ns;
	__u64 exec_ns; /* of its CPU time, what is in vtime_ns */
};

/* Claims an idle CPU for the task, -1 if it finds none. */
typedef __s32 (*reference_search)(struct sim *sim, struct sim_task *p, __s32 prev);

/* init, exit and init_task; the state and the task's state are `size` bytes, zeroed. */
int reference_init(struct sim *sim, size_t size);
int reference_init_plain(struct sim *sim);
void reference_exit(struct sim *sim);
int reference_init_task(struct sim *sim, struct sim_task *p);

/* running and stopping: keep the virtual time. */
void reference_running(struct sim *sim, struct sim_task *p);
void reference_stopping(struct sim *sim, struct sim_task *p, bool runnable);
/* What the task is queued by: who slept long gets no more than a slice of credit. */
__u64 reference_vtime(struct sim *sim, struct sim_task *p);

/* select_cpu: to an idle CPU at once, or `prev`. */
__s32 reference_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, reference_search search);
/* enqueue, first half: to an idle CPU; false: there is none. */
bool reference_enqueue_idle(struct sim *sim, struct sim_task *p, __u64 enq_flags,
			    reference_search search);
/* enqueue, second half: a CPU may have become idle while the task went into its queue. */
void reference_kick_idle(struct sim *sim, struct sim_task *p);

bool reference_may_use(const struct sim_task *p, __s32 cpu);
__s32 reference_first_allowed(const struct sim *sim, const struct sim_task *p); /* online one */
__u32 reference_domain_of(const struct sim *sim, __s32 cpu); /* 0 if it has none */
/* Claims one: of those that the task may use and that are in `within` (NULL: all). */
__s32 reference_pick(struct sim *sim, const struct sim_task *p, const cpu_set_t *within,
		     bool whole_core);
bool reference_claim_core(struct sim *sim, const struct sim_task *p, __s32 cpu);
bool reference_claim(struct sim *sim, const struct sim_task *p, __s32 cpu);
