/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/histogram.h"
#include "tests/sim/machine.h"
#include "tests/sim/metrics.h"

/* What the parts of the observer share. Each part sums up what lies between two events. */

enum {
	METRICS_GRACE_NS = 50000, /* shorter than that is no violation of work conservation */
	/* A task in the queue of the CPU that wakes for it gets this instead: the longest exit
	   from a sleep state, and the interrupt. */
	METRICS_GRACE_WAKING_NS = 250000,
	METRICS_PING_PONG_NS = 10000000,
	METRICS_WINDOW_NS = 1000000000, /* of fairness */
	METRICS_SHORTEST_WINDOW_NS = 100000000, /* the last one of a run */
};

struct metrics_list {
	struct metrics_list *prev, *next;
};

/* A CPU as it is since the last event. `idle` orders CPUs by the start of their idleness. */
struct metrics_cpu {
	struct metrics_list idle;
	struct sim_task *task; /* fair one that runs on it */
	struct metrics_task *counted; /* the same, if it counts for sharing */
	__u64 idle_since_ns; /* what came before is charged already */
	__u32 speed;
	__s32 core; /* lowest CPU of it */
	bool online;
	bool busy;
	bool restricted;
};

/* Of a core, at its lowest CPU. */
struct metrics_core {
	__u64 active_since_ns;
	__u32 nr_online, nr_busy;
	__u32 speed; /* of its fastest thread */
};

/* Stored with the task. `waiting` orders the tasks that wait by the start of their wait. */
struct metrics_task {
	struct metrics_list waiting;
	struct sim_task *task;
	__u32 group;
	__s32 cpu; /* ran there last, or -1 */
	__s32 cpu_before; /* and before it came there */
	bool on_way; /* in the queue of a CPU that wakes for it */
	bool is_waiting;
	bool is_running;
	__u64 moved_ns;
	__u64 woken_ns; /* 0: it is not a wakeup that it waits for */
	__u64 wait_from_ns; /* what came before is charged already */
	__u64 wants_since_ns; /* wants to run since; all ones: it sleeps */
	__u64 runs_since_ns;
	__u64 exec_ns;
	__u64 exec_window_ns; /* exec_ns at the start of the window */
	__u64 framed_ns;
};

struct metrics_row {
	char *name;
	__u32 nr_tasks;
	__u64 exec_ns;
	__u64 nr_frames, nr_missed;
	struct histogram wakeups, frames;
};

struct metrics {
	struct sim *sim;
	const struct donor_topology *topology;
	const struct sim_machine *machine;
	struct metrics_cpu *cpus;
	struct metrics_core *cores;
	__u32 nr_cpus, nr_usable;
	__u64 now_ns; /* all is summed up until here */
	__u64 ended_ns; /* last end of a task that is waited for */

	/* Sharing of cores: of tasks that are waited for. */
	__u32 nr_running, nr_shared, nr_shared_restricted, nr_idle_cores;
	double run_ns, shared_ns, waste_ns;

	/* Work conservation. */
	struct metrics_list idle, waiting;
	__u64 nr_violations, violation_max_ns, violation_total_ns;

	/* Moves and calls. */
	__u64 moves[4], nr_ping_pong, nr_donations, nr_kicks;

	/* Fairness. */
	__u64 window_ns; /* start */
	__u64 nr_windows;
	double jain;

	/* Energy. */
	__u32 nr_active_of_cache[DONOR_MAX_DOMAINS], nr_awake_caches;
	double energy;

	struct metrics_row *rows;
	struct metrics_group *groups;
	__u32 nr_rows;
};

static inline void metrics_list_init(struct metrics_list *list)
{
	list->prev = list->next = list;
}

static inline void metrics_list_remove(struct metrics_list *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	metrics_list_init(entry);
}

static inline void metrics_list_append(struct metrics_list *list, struct metrics_list *entry)
{
	entry->prev = list->prev;
	entry->next = list;
	list->prev->next = entry;
	list->prev = entry;
}

/* metrics.c */
void metrics_sum_until(struct metrics *m, __u64 now_ns);

/* metrics-cores.c: to be told of a change after all was summed up until now. */
void metrics_cores_sum(struct metrics *m, __u64 until_ns);
void metrics_cores_occupy(struct metrics *m, __s32 cpu, bool busy);
void metrics_cores_run(struct metrics *m, __s32 cpu, struct metrics_task *task);
void metrics_cores_online(struct metrics *m, __s32 cpu, bool online);

/* metrics-energy.c: the same; a core at its first or last busy thread. */
void metrics_energy_sum(struct metrics *m, __u64 until_ns);
void metrics_energy_core(struct metrics *m, __s32 core, bool active);
void metrics_energy_speed(struct metrics *m, __s32 cpu, __u32 speed);
void metrics_energy_core_sum(struct metrics *m, __s32 core);

/* metrics-waits.c */
void metrics_waits_begin(struct metrics *m, struct metrics_task *task);
void metrics_waits_end(struct metrics *m, struct metrics_task *task);
void metrics_waits_inserted(struct metrics *m, struct metrics_task *task,
			    const struct sim_event *event);
void metrics_waits_idle(struct metrics *m, __s32 cpu);
void metrics_waits_busy(struct metrics *m, __s32 cpu);
void metrics_waits_finish(struct metrics *m);

/* metrics-moves.c */
void metrics_moves_run(struct metrics *m, struct metrics_task *task, __s32 cpu);

/* metrics-fairness.c: closes the windows that ended before `until_ns`. */
void metrics_fairness_sum(struct metrics *m, __u64 until_ns);
void metrics_fairness_finish(struct metrics *m);
__u64 metrics_exec_ns(const struct metrics_task *task, __u64 at_ns);

/* metrics-groups.c: NULL if there is no memory. */
struct metrics_task *metrics_task_of(struct metrics *m, struct sim_task *task);
void metrics_groups_frame(struct metrics *m, struct metrics_task *task, __u64 late_ns);
void metrics_groups_free(struct metrics *m);
