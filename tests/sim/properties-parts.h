/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/properties.h"

/* What the files of the property checks share. */

enum property_place {
	PLACE_ASLEEP,
	PLACE_POLICY, /* runnable; the policy has it, in no queue of the kernel */
	PLACE_QUEUE,
	PLACE_LOCAL, /* queue of a CPU */
	PLACE_CPU,
	PLACE_GONE,
};

/* Waiting tasks hang in a ring, by the start of their wait. */
struct property_task {
	struct property_task *prev, *next;
	struct sim_task *task;
	enum property_place place;
	__s32 cpu; /* of PLACE_LOCAL and PLACE_CPU */
	__u64 waits_since_ns;
};

struct property_check {
	const char *name;
	const char *(*check)(struct sim *sim, const struct sim_event *event, void *data);
	void *data;
};

struct properties {
	struct sim *sim;
	struct properties_options options;
	struct property_task waiting; /* head of the ring */
	struct property_task **tasks; /* by pid */
	__u32 nr_tasks;
	__u64 nr_steps;
	__u64 looked_ns; /* at those who wait */
	bool broken; /* said once is enough */

	__u32 nr_cpus, nr_idle;
	__u64 idle_since_ns[DONOR_MAX_CPUS]; /* all ones: it is not */
	__s32 claimed[DONOR_MAX_CPUS]; /* idle bit taken, and not yet busy */
	bool is_claimed[DONOR_MAX_CPUS];
	__u32 nr_claimed;

	struct property_check checks[PROPERTIES_MAX_CHECKS];
	__u32 nr_checks;
};

void properties_fail(struct properties *pr, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* properties-tasks.c: P1, P2. NULL if it is none of the policy's. */
struct property_task *properties_task_of(struct properties *pr, struct sim_task *task);
void properties_see_task(struct properties *pr, struct property_task *task,
			 const struct sim_event *event);
void properties_look_at_tasks(struct properties *pr);
void properties_compare_tasks(struct properties *pr);
void properties_free_tasks(struct properties *pr);

/* properties-cpus.c: P3. */
void properties_see_cpu(struct properties *pr, const struct sim_event *event);
void properties_check_claims(struct properties *pr);
void properties_look_at_cpus(struct properties *pr);

/* properties-waits.c: P4, P8. */
void properties_wait(struct properties *pr, struct property_task *task);
void properties_wait_over(struct properties *pr, struct property_task *task);
void properties_check_waits(struct properties *pr);
