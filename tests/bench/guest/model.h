/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#ifndef __bpf__ /* there bpf/kernel.bpf.h has them */
#include <linux/types.h>
#endif

/*
 * What the tracer in the kernel, its loader and the workers share.
 *
 * A worker is a task named bench-NN. It has a speed: none while it is on no CPU, full while its
 * core is its own, MODEL_FULL / share while the sibling is busy. The work that it has done is what
 * the tracer credits it with, so siblings cost exactly what they should, however few CPUs the
 * host has.
 */

enum {
	MODEL_CPUS = 64,
	MODEL_WORKERS = 64, /* number 0 is nobody */
	MODEL_THREADS = 2,
	MODEL_FULL = 1024,
	MODEL_EVENTS = 1 << 19,
};

/* In the log: a task became runnable; one gave up its CPU to another, and waits or sleeps; one
 * became a worker where it runs. host/events.py knows the numbers and struct model_event. */
enum model_event_kind {
	MODEL_WAKE,
	MODEL_SWITCH_WAITS,
	MODEL_SWITCH_SLEEPS,
	MODEL_RENAME,
	MODEL_CREDIT, /* at the end of the log: the ns of work of a worker are in allowed */
};

struct model_event {
	__u64 time_ns;
	__u64 allowed; /* CPUs of task */
	__u32 task; /* who became runnable, or left the CPU; 0 is the idle task */
	__u32 next; /* who got the CPU */
	__u8 cpu;
	__u8 kind;
	__u8 worker; /* of next; else of task */
	__u8 reserved[5];
};

/* Written under the lock of the core that it runs on; odd while it is written. */
struct model_worker {
	__u32 seq;
	__u32 speed; /* of MODEL_FULL, 0 while it is on no CPU */
	__u64 done; /* until since_ns: ns at full speed, times MODEL_FULL */
	__u64 since_ns;
	__u64 reserved[5];
};

struct model {
	__u64 share; /* speed beside a busy sibling */
	__u64 max_events;
	__u64 nr_events; /* above max_events: so many were lost */
	__u64 reserved[5];
	__u8 cores[MODEL_CPUS]; /* of each CPU */
	__u8 threads[MODEL_CPUS]; /* of that core */
	struct model_worker workers[MODEL_WORKERS];
};
