/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

enum work_kind {
	WORK_CALL, /* sim_at() */
	WORK_TIMER, /* the policy's */
	WORK_WATCHDOG,
	WORK_CLOCK, /* the clock of the machine follows the number of its active cores */
	WORK_TICK,
	WORK_STEP, /* the task that runs has done its step */
	WORK_SCHEDULE, /* a CPU was asked to choose again */
	WORK_KICK,
	WORK_WAKE_TIMER, /* a sleep is over */
	WORK_SELECT, /* first half of a wakeup, under the lock of the task */
	WORK_ENQUEUE, /* second half, under the lock of the run queue */
	WORK_DEFERRED, /* insert into the local queue of another CPU */
	WORK_CHANGE, /* mask or weight */
	WORK_HOTPLUG,
};

struct sim;
struct sim_task;

/* Something that will happen. Ordered by time, then by the order in which it was asked for. */
struct work {
	__u64 time_ns;
	__u64 seq;
	union {
		struct sim_task *task;
		void (*call)(struct sim *sim, void *data);
		__u64 flags;
	};
	void *data;
	__u32 generation; /* stale if its owner has another by now */
	__s16 cpu; /* that it is about */
	__s16 where; /* CPU that carries it out; -1: none in particular */
	enum work_kind kind;
};

struct heap {
	struct work *works;
	__u32 nr;
	__u32 size;
};

int heap_push(struct heap *heap, const struct work *work);
const struct work *heap_first(const struct heap *heap); /* or NULL */
struct work heap_pop(struct heap *heap);
void heap_free(struct heap *heap);
