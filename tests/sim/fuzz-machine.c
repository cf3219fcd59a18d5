/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/fuzz.h"

enum {
	MOST_DOMAINS = 6,
	MOST_CORES = 8,
	CAPACITY_SLOW = 614,
	CAPACITY_FAST = 1024,
};

static void add_core(struct sim_machine *machine, __u32 domain, __u32 nr_threads)
{
	struct donor_topology *t = &machine->topology;
	struct donor_domain_topology *d = &t->domains[domain];
	__u32 core = t->nr_cpus;

	for (__u32 i = 0; i < nr_threads; i++) {
		t->cpus[core + i] = (struct donor_cpu_topology){
			.domain = (__u16)domain,
			.core = (__u16)core,
			.nr_threads = (__u16)nr_threads,
			.sibling = (__u16)(core + (i + 1) % nr_threads),
		};
		machine->capacity[core + i] = d->kind ? CAPACITY_FAST : CAPACITY_SLOW;
	}
	t->nr_cpus += nr_threads;
	d->nr_cpus += nr_threads;
	d->nr_cores++;
}

/* An id that no CPU has, as firmware likes to leave. */
static void add_hole(struct sim_machine *machine)
{
	struct donor_topology *t = &machine->topology;

	t->cpus[t->nr_cpus].domain = DONOR_NONE;
	t->cpus[t->nr_cpus].sibling = (__u16)t->nr_cpus;
	t->nr_cpus++;
}

static void add_domain(struct fuzz_input *input, struct sim_machine *machine, __u32 domain)
{
	struct donor_domain_topology *domains = machine->topology.domains;
	__u32 nr_cores = 1 + fuzz_draw(input, MOST_CORES), bits = fuzz_draw(input, 256);

	if (domain && (bits & 0xe0) == 0xe0)
		add_hole(machine);
	domains[domain].kind = (bits & 2) ? 1 : 0;
	domains[domain].cache = (__u16)domain;
	domains[domain].node = domain ? domains[domain - 1].node + !!(bits & 4) : 0;
	if (domain && (bits & 8) && domains[domain].kind != domains[domain - 1].kind) {
		domains[domain].cache = domains[domain - 1].cache;
		domains[domain].node = domains[domain - 1].node;
	}
	for (__u32 i = 0; i < nr_cores; i++)
		add_core(machine, domain, 1 + (bits & 1));
}

static int distance(const struct donor_domain_topology *a, const struct donor_domain_topology *b)
{
	if (a->cache == b->cache)
		return DONOR_DISTANCE_CACHE;
	return a->node == b->node ? DONOR_DISTANCE_NODE : DONOR_DISTANCE_REMOTE;
}

/* As service/topology.c does, which needs a machine of hwloc's: that takes longer than our run. */
static void add_neighbours(struct donor_topology *t, __u32 from)
{
	struct donor_domain_topology *d = &t->domains[from];
	__u16 nr = 0;

	for (int far = 0; far < DONOR_NR_DISTANCES; far++) {
		for (__u32 step = 1; step < t->nr_domains; step++) {
			__u32 to = (from + step) % t->nr_domains;

			if (distance(d, &t->domains[to]) == far)
				d->neighbours[nr++] = (__u8)to;
		}
		d->distance_end[far] = nr;
	}
}

void fuzz_machine(struct fuzz_input *input, struct sim_machine *machine)
{
	struct donor_topology *t = &machine->topology;

	t->nr_domains = 1 + fuzz_draw(input, MOST_DOMAINS);
	for (__u32 i = 0; i < t->nr_domains; i++)
		add_domain(input, machine, i);
	for (__u32 i = 0; i < t->nr_domains; i++)
		add_neighbours(t, i);
}

/* Some CPUs: one, a domain, or any; the kernel takes out those that do not exist. */
cpu_set_t fuzz_mask(struct fuzz_input *input, const struct sim_machine *machine)
{
	const struct donor_topology *t = &machine->topology;
	__u32 kind = fuzz_draw(input, 4), which = fuzz_draw(input, t->nr_cpus);
	__u32 bits = fuzz_draw(input, 256);
	cpu_set_t mask;

	if (t->cpus[which].domain == DONOR_NONE)
		which = 0;
	CPU_ZERO(&mask);
	CPU_SET(which, &mask);
	for (__u32 cpu = 0; kind && cpu < t->nr_cpus; cpu++)
		if (kind == 1 ? t->cpus[cpu].domain == t->cpus[which].domain
			      : bits >> (cpu + cpu / 8) % 8 & 1)
			CPU_SET(cpu, &mask);
	return mask;
}
