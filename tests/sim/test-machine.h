/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/sim/machine.h"

/* A machine by hand: threads of a core are neighbours, each domain has its own cache. */
static inline void test_machine(struct sim_machine *machine, __u32 nr_domains, __u32 nr_cores,
				__u32 nr_threads)
{
	struct donor_topology *topology = &machine->topology;
	__u32 per_domain = nr_cores * nr_threads, core;

	*machine = (struct sim_machine){ .name = "test" };
	topology->nr_cpus = nr_domains * per_domain;
	topology->nr_domains = nr_domains;
	for (__u32 cpu = 0; cpu < topology->nr_cpus; cpu++) {
		core = cpu / nr_threads * nr_threads;
		topology->cpus[cpu].domain = cpu / per_domain;
		topology->cpus[cpu].core = core;
		topology->cpus[cpu].nr_threads = nr_threads;
		topology->cpus[cpu].sibling = core + (cpu + 1 - core) % nr_threads;
		machine->capacity[cpu] = 1024;
	}
	for (__u32 i = 0; i < nr_domains; i++)
		topology->domains[i] = (struct donor_domain_topology){ .nr_cpus = per_domain,
								       .nr_cores = nr_cores,
								       .cache = i };
}
