/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/kernel.bpf.h"

#include "bpf/abi.h"
#include "bpf/policy/cpu.h"
#include "bpf/policy/task.h"

/* The maps, and the only look-ups in them. The service sizes those of CPUs to the machine. */

#define SHARED_MAP(name, nr, value_type)                                                           \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                  \
		__uint(map_flags, BPF_F_MMAPABLE);                                                 \
		__uint(max_entries, nr);                                                           \
		__type(key, __u32);                                                                \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

SHARED_MAP(machine, 1, struct donor_machine);
SHARED_MAP(cpu_topology, DONOR_MAX_CPUS, struct donor_cpu_topology);
SHARED_MAP(counters, DONOR_MAX_CPUS, struct donor_counters);
SHARED_MAP(exit_record, 1, struct donor_exit);

/* What nearly each callback asks for: maps too, but to a program variables that need no look-up. */
struct donor_params_block params SEC(".bss.params");
struct donor_domain_topology domain_topology[DONOR_MAX_DOMAINS] SEC(".bss.topology");
struct donor_domain domains[DONOR_MAX_DOMAINS] SEC(".bss.domains");

/* Nobody else reads these. */
static struct donor_cpu cpus[DONOR_MAX_CPUS];
static struct donor_balance balance;

struct pass_timer {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pass_timer);
} pass_timer SEC(".maps");

struct domain_mask {
	struct bpf_cpumask __kptr *cpus;
};

/* The active CPUs of each domain and of the machine, and its online ones. */
enum {
	ALL_ACTIVE = DONOR_MAX_DOMAINS,
	ALL_ONLINE,
	NR_MASKS,
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NR_MASKS);
	__type(key, __u32);
	__type(value, struct domain_mask);
} domain_masks SEC(".maps");

/* Room for the cut of a domain with the mask of a task. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct domain_mask);
} scratch_mask SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct donor_task);
} tasks SEC(".maps");

/* An array has all its elements: these cannot fail, but the verifier wants to see the test. */
static __always_inline struct donor_machine *find_machine(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&machine, &zero);
}

static __always_inline struct donor_params *find_params(void)
{
	return &params.slots[*(volatile __u32 *)&params.current & (DONOR_NR_SLOTS - 1)];
}

/*
 * An index that was tested against `size`, a power of two. Without the barrier the compiler tests a
 * copy, and the verifier does not believe it of this one.
 */
static __always_inline __u32 tested_index(__u32 index, __u32 size)
{
	asm("" : "+r"(index));
	return index & (size - 1);
}

/* These are NULL for "no domain". */
static __always_inline struct donor_domain_topology *find_domain_topology(__u32 domain)
{
	return domain < DONOR_MAX_DOMAINS
		       ? &domain_topology[tested_index(domain, DONOR_MAX_DOMAINS)]
		       : NULL;
}

static __always_inline struct donor_domain *find_domain(__u32 domain)
{
	return domain < DONOR_MAX_DOMAINS ? &domains[tested_index(domain, DONOR_MAX_DOMAINS)]
					  : NULL;
}

/* These for "no CPU"; the first as well for a CPU that the service did not see. */
static __always_inline struct donor_cpu_topology *find_cpu_topology(__u32 cpu)
{
	struct donor_cpu_topology *c = bpf_map_lookup_elem(&cpu_topology, &cpu);

	return c && c->domain != DONOR_NONE ? c : NULL;
}

static __always_inline struct donor_cpu *find_cpu(__u32 cpu)
{
	return cpu < DONOR_MAX_CPUS ? &cpus[tested_index(cpu, DONOR_MAX_CPUS)] : NULL;
}

static __always_inline struct bpf_cpumask *find_mask(__u32 domain)
{
	struct domain_mask *mask = bpf_map_lookup_elem(&domain_masks, &domain);

	return mask ? mask->cpus : NULL;
}

static __always_inline struct donor_balance *find_balance(void)
{
	return &balance;
}

/* A task that came before its storage could be made, or is about to go. */
static __always_inline struct donor_task *find_task(struct task_struct *p)
{
	return bpf_task_storage_get(&tasks, p, 0, 0);
}
