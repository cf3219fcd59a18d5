/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <hwloc.h>
#include <sched.h>

#include "tests/bench/guest/cpus.h"

static int bind_to(const cpu_set_t *set)
{
	return sched_setaffinity(0, sizeof(*set), set) < 0 ? -errno : 0;
}

static hwloc_bitmap_t read_list(const char *list)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	if (cpus && hwloc_bitmap_list_sscanf(cpus, list) == 0 && hwloc_bitmap_weight(cpus) > 0 &&
	    hwloc_bitmap_last(cpus) < CPU_SETSIZE)
		return cpus;
	hwloc_bitmap_free(cpus);
	return NULL;
}

int cpus_bind(const char *list)
{
	hwloc_bitmap_t cpus = NULL;
	unsigned int cpu;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (!list) {
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, &set);
		return bind_to(&set);
	}
	cpus = read_list(list);
	if (!cpus)
		return -EINVAL;
	hwloc_bitmap_foreach_begin(cpu, cpus) CPU_SET(cpu, &set);
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(cpus);
	return bind_to(&set);
}

int cpus_bind_nth(const char *list, int n)
{
	hwloc_bitmap_t cpus = read_list(list);
	cpu_set_t set;
	int cpu;

	if (!cpus)
		return -EINVAL;
	cpu = hwloc_bitmap_first(cpus);
	for (n %= hwloc_bitmap_weight(cpus); n > 0; n--)
		cpu = hwloc_bitmap_next(cpus, cpu);
	hwloc_bitmap_free(cpus);
	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	return bind_to(&set);
}
