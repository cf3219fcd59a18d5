/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants-energy.h"
#include "tests/sim/metrics-parts.h"

static double power(const struct metrics *m, __s32 core)
{
	double capacity = m->machine->capacity[core] / 1024.0;
	double f = m->cores[core].speed / 1024.0;
	double volt = 1 - ENERGY_VOLTAGE_SLOPE * (1 - f);
	__u32 nr_busy = m->cores[core].nr_busy;

	if (volt < ENERGY_VOLTAGE_FLOOR)
		volt = ENERGY_VOLTAGE_FLOOR;
	return capacity * capacity * f * volt * volt * (1 + ENERGY_SECOND_THREAD * (nr_busy - 1));
}

/* Core by core, when something about it changes; caches at every event. */
void metrics_energy_core_sum(struct metrics *m, __s32 core)
{
	struct metrics_core *c = &m->cores[core];

	if (c->nr_busy)
		m->energy += power(m, core) * (double)(m->now_ns - c->active_since_ns) / 1e9;
	c->active_since_ns = m->now_ns;
}

void metrics_energy_sum(struct metrics *m, __u64 until_ns)
{
	m->energy += ENERGY_CACHE_AWAKE * m->nr_awake_caches * (double)(until_ns - m->now_ns) / 1e9;
}

void metrics_energy_core(struct metrics *m, __s32 core, bool active)
{
	__u16 domain = m->topology->cpus[core].domain;
	__u32 *nr_active;

	m->cores[core].active_since_ns = m->now_ns;
	if (active)
		m->energy += ENERGY_CORE_WAKE;
	if (domain == DONOR_NONE)
		return;
	nr_active = &m->nr_active_of_cache[m->topology->domains[domain].cache];
	*nr_active += active ? 1 : (__u32)-1;
	if (*nr_active == (active ? 1 : 0))
		m->nr_awake_caches += active ? 1 : (__u32)-1;
}

void metrics_energy_speed(struct metrics *m, __s32 cpu, __u32 speed)
{
	__s32 first = m->cpus[cpu].core, sibling = first;
	__u32 fastest = 0;

	metrics_energy_core_sum(m, first);
	m->cpus[cpu].speed = speed;
	do {
		if (m->cpus[sibling].speed > fastest)
			fastest = m->cpus[sibling].speed;
		sibling = m->machine->topology.cpus[sibling].sibling;
	} while (sibling != first);
	m->cores[first].speed = fastest;
}
