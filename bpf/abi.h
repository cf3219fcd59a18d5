/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * The binary contract between the scheduler and the service: each struct below is the value of one
 * mmap-able map. Those whose name begins with a dot are variables to the scheduler, with a place
 * for each domain that there can be.
 *
 *   map              value                          writer
 *   .bss.params      struct donor_params_block      service (slots, current)
 *   machine          struct donor_machine           service, before each attach
 *   cpu_topology     struct donor_cpu_topology      service, once; one element per CPU id
 *   .bss.topology    struct donor_domain_topology   service, once; one element per domain
 *   .bss.domains     struct donor_domain            scheduler; one element per domain
 *   counters         struct donor_counters          scheduler; one element per CPU id
 *   exit_record      struct donor_exit              scheduler, once, kind last
 */

#ifndef __bpf__ /* there the kernel header has them */
#include <linux/types.h>
#include <stdbool.h>
#endif

enum {
	DONOR_ABI_VERSION = 1,
	DONOR_MAX_CPUS = 1024,
	DONOR_MAX_DOMAINS = 128,
	DONOR_NR_DISTANCES = 3,
	DONOR_NR_SLOTS = 4, /* a power of two: slot numbers are masked */
	DONOR_NONE = 0xffff, /* no such CPU, core or domain */
	DONOR_WEIGHT_ONE = 100, /* weight of nice 0, as the kernel counts */
	DONOR_BUILD_BYTES = 64,
};

/* How far a task travels from one domain to another. */
enum donor_distance {
	DONOR_DISTANCE_CACHE, /* other kind of core behind the same last-level cache */
	DONOR_DISTANCE_NODE, /* other cache, same memory node */
	DONOR_DISTANCE_REMOTE, /* other memory node */
};

enum donor_mode {
	DONOR_MODE_POWER,
	DONOR_MODE_BALANCED,
	DONOR_MODE_PERFORMANCE,
	_DONOR_MODE_MAX,
};

/* The two places where a task can be given away. */
enum donor_hook {
	DONOR_HOOK_SELECT_CPU,
	DONOR_HOOK_ENQUEUE,
	_DONOR_HOOK_MAX,
};

/* One whole set of parameters. A callback reads one set from its start to its end. */
struct donor_params {
	__u64 generation;
	__u32 mode; /* enum donor_mode; for show, the policy never asks */
	__u32 reserved;
#define KNOB(name, ...) __u64 name;
#include "knobs.def"
#undef KNOB
};

/*
 * The service fills the slot after the current one, then stores `current`. It lets an RCU grace
 * period pass before it answers, so no callback still reads a slot that is written again.
 */
struct donor_params_block {
	__u32 current;
	__u32 reserved[15];
	struct donor_params slots[DONOR_NR_SLOTS];
};

struct donor_machine {
	__u32 abi_version;
	__u32 nr_cpus; /* known ones have ids below this */
	__u32 nr_domains;
	__u32 reserved;
	/* For a service that takes the scheduler over; the scheduler does not read these. */
	char build[DONOR_BUILD_BYTES]; /* SHA-256 of the BPF object in hex, without a final NUL */
	__u64 hotplug_seq; /* of the kernel, when the machine was looked at */
	__u64 attached_at_us; /* CLOCK_MONOTONIC */
};

struct donor_cpu_topology {
	__u16 domain; /* DONOR_NONE: unknown when the scheduler was attached */
	__u16 core; /* lowest CPU of the core */
	__u16 nr_threads; /* of the core */
	__u16 sibling; /* its next thread; behind the last comes the first */
};

/* The CPUs behind one last-level cache that are of one kind. */
struct donor_domain_topology {
	__u16 nr_cpus;
	__u16 nr_cores;
	__u16 kind; /* rank of its cores, a faster kind has a higher number */
	__u16 node; /* memory node */
	__u16 cache; /* domains with the same number share a last-level cache */
	__u16 distance_end[DONOR_NR_DISTANCES]; /* neighbours [0, end) are within that distance */
	__u8 neighbours[DONOR_MAX_DOMAINS]; /* other domains, nearest first, each its own rotation */
};

/* Live state of a domain. Each group is on a line of its own: its writers differ. */
struct donor_domain {
	__u32 nr_idle_cores; /* hint: a claim decides */
	__u32 nr_idle_cpus; /* hint */
	__u32 nr_online;
	__u32 nr_active; /* in use; compaction lets the others sleep */
	__u32 last_idle_cpu;
	__u32 reserved0[11];

	__u64 nr_queued; /* tasks in the domain's queue, or on their way into it */
	__u64 queued_weight; /* of those tasks */
	__u64 nr_restricted; /* tasks in the queues of its CPUs */
	__u64 reserved1[5];

	__u64 vtime_ns; /* virtual time of the task that ran furthest */
	__u64 reserved2[7];

	__u64 nr_given; /* tasks given to other domains */
	__u64 nr_taken; /* tasks given by other domains */
	__u64 nr_stolen; /* tasks that other domains took from its queue */
	__u64 reserved3[5];

	/* Result of the last balance pass. Budgets are used up until the next. */
	__u64 pressure; /* work per CPU, 1024: all CPUs busy and nobody waits */
	__u64 weight; /* of the tasks that run or wait */
	__s64 lead_ns; /* service per weight, beyond that of the other domains */
	__s64 egress; /* load that it may give away, a busy CPU is 1024 */
	__s64 ingress; /* load that it may be given */
	__s64 pull; /* tasks that its CPUs should fetch from the domain `pull_from` */
	__u64 load; /* of its CPUs together, a busy one is 1024 */
	__u32 pull_from;
	__u32 reserved4;
};

/* The balance pass of the machine: what it found, and between its rounds how far it has come. */
struct donor_balance {
	__u64 passed_at_ns;
	__u64 elapsed_ns; /* since the pass before */
	__u64 generation; /* of the parameters that the last pass applied */
	__u64 load; /* of all CPUs, a busy one is 1024 */
	__u64 nr_queued;
	__u64 pressure; /* mean of the domains */
	__u64 pressure_sum;
	__u64 service; /* that a task of weight one gets, mean of the domains with work; 1024: a CPU */
	__u64 shrinking_since_ns; /* fewer CPUs would do since then; 0: no */
	__s64 surplus; /* tasks that may still be fetched from the victim */
	__u32 victim; /* domain with queued work that lags most, or DONOR_NONE */
	__u32 nr_active; /* cores and then threads in use, in the order of compaction */
	__u32 nr_seen; /* of them, in this round */
	__u32 nr_cpus; /* in use, all told */
	__u32 nr_working; /* domains with work */
	__u32 reserved;
};

enum donor_counter {
#define COUNTER(name, help) DONOR_COUNT_##name,
#include "counters.def"
#undef COUNTER
	DONOR_NR_COUNTERS,
};

/* Written by its CPU alone and without atomics: an interrupted update costs one count. */
struct donor_counters {
#define COUNTER(name, help) __u64 name;
#include "counters.def"
#undef COUNTER
} __attribute__((aligned(64)));

enum {
	DONOR_EXIT_REASON_BYTES = 128,
	DONOR_EXIT_MESSAGE_BYTES = 1024,
	DONOR_EXIT_DUMP_BYTES = 32768,
};

struct donor_exit {
	__u32 kind; /* enum scx_exit_kind of the running kernel; 0 while attached */
	__u32 reserved;
	__s64 code;
	char reason[DONOR_EXIT_REASON_BYTES];
	char message[DONOR_EXIT_MESSAGE_BYTES];
	char dump[DONOR_EXIT_DUMP_BYTES];
};

_Static_assert(sizeof(struct donor_domain_topology) == 16 + DONOR_MAX_DOMAINS, "no hidden padding");
_Static_assert(sizeof(struct donor_domain) == 5 * 64, "five cache lines");
_Static_assert(__builtin_offsetof(struct donor_counters, hotplug_offline) ==
		       8 * DONOR_COUNT_hotplug_offline,
	       "counters are an array as well");
_Static_assert(sizeof(struct donor_exit) % 8 == 0, "no hidden padding");
