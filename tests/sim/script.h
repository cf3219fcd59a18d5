/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/workload.h"

/* What an rt-app file says, as it is carried out. Written by workload-*.c, read by program-*.c. */

enum operation {
	OPERATION_RUN,
	OPERATION_RUNTIME,
	OPERATION_SLEEP,
	OPERATION_TIMER,
	OPERATION_LOCK,
	OPERATION_UNLOCK,
	OPERATION_WAIT,
	OPERATION_SIGNAL,
	OPERATION_BROAD,
	OPERATION_SYNC,
	OPERATION_SUSPEND,
	OPERATION_RESUME,
	OPERATION_BARRIER,
	OPERATION_YIELD,
	OPERATION_FORK,
	OPERATION_TAKE,
	OPERATION_SERVE,
};

struct script_event {
	enum operation operation;
	__u32 resource; /* index in the workload; of OPERATION_FORK: of the task */
	__u32 mutex; /* of wait and sync */
	__u64 time_ns; /* how long; of serve: for each request, until its answer */
	__u64 after_ns; /* of serve: and after that */
	bool absolute; /* timer: a late period does not move the next ones */
};

/* What a phase may set anew. */
struct script_settings {
	bool has_nice;
	__s32 nice;
	bool restricted;
	cpu_set_t allowed;
};

enum {
	LOOP_ENDLESS = -1,
};

struct script_phase {
	__s32 loop;
	struct script_settings settings;
	__u32 nr_events;
	struct script_event *events;
};

struct script_task {
	char *name;
	__s32 loop;
	__u32 nr_instances;
	double instances_per_cpu; /* of the machine, instead of nr_instances; 0: not given */
	__u64 delay_ns;
	enum sched_class sched_class;
	struct script_settings settings;
	__u32 smt_share;
	__u32 footprint_kb;
	__u32 jitter_pct;
	bool bind; /* somebody who pins by hand would pin it */
	__u32 nr_phases;
	struct script_phase *phases;
};

enum resource_kind {
	RESOURCE_MUTEX,
	RESOURCE_CONDITION,
	RESOURCE_BARRIER,
	RESOURCE_TIMER,
	RESOURCE_QUEUE,
};

struct script_resource {
	enum resource_kind kind;
	char *name;
	bool unique; /* timer: each task has its own */
	bool is_served; /* queue */
	bool is_taken;
	__u64 nr_items; /* queue */
	__u32 nr_channels; /* queue: those who share one take turns; 0: no limit */
};

struct workload {
	char *name;
	__u64 duration_ns; /* 0: until its tasks end */
	__u32 nr_tasks;
	struct script_task *tasks;
	__u32 nr_resources;
	struct script_resource *resources;
};

/* workload-parse.c: fills an empty workload from the text of a file. */
int workload_parse(struct workload *workload, const char *file, const char *text,
		   char **ret_message);

/* workload.c: whether it comes to an end by itself, by a loop that is counted or a queue. */
bool script_task_ends(const struct script_task *task);

/* session.c. -ENODEV: a task is bound to CPUs that the machine does not have. */
int script_start(const struct workload *workload, struct sim *sim, __u32 scale, bool background);
