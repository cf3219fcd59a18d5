/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/metrics-parts.h"

enum {
	MOVE_CORE,
	MOVE_CACHE,
	MOVE_NODE,
	MOVE_REMOTE,
};

static unsigned distance(const struct donor_topology *t, __s32 from, __s32 to)
{
	const struct donor_cpu_topology *a = &t->cpus[from], *b = &t->cpus[to];
	const struct donor_domain_topology *da, *db;

	if (a->core == b->core)
		return MOVE_CORE;
	if (a->domain == b->domain)
		return MOVE_CACHE;
	if (a->domain == DONOR_NONE || b->domain == DONOR_NONE)
		return MOVE_NODE;
	da = &t->domains[a->domain];
	db = &t->domains[b->domain];
	if (da->cache == db->cache)
		return MOVE_CACHE;
	return da->node == db->node ? MOVE_NODE : MOVE_REMOTE;
}

void metrics_moves_run(struct metrics *m, struct metrics_task *task, __s32 cpu)
{
	if (task->cpu == cpu)
		return;
	if (task->cpu >= 0) { /* where it was born is no move */
		m->moves[distance(m->topology, task->cpu, cpu)]++;
		if (task->cpu_before == cpu && m->now_ns - task->moved_ns <= METRICS_PING_PONG_NS)
			m->nr_ping_pong++;
	}
	task->cpu_before = task->cpu;
	task->cpu = cpu;
	task->moved_ns = m->now_ns;
}
