/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/metrics-parts.h"

/*
 * Sharing of cores. How many tasks run beside a busy sibling and how many cores are wholly idle is
 * kept up to date core by core, so that what lies between two events is a product. Only tasks that
 * may not run everywhere are looked at one by one.
 */

static bool is_whole_idle(const struct metrics_core *core)
{
	return core->nr_online && !core->nr_busy;
}

/* Is a core idle that the task may use? */
static bool may_use_idle_core(const struct metrics *m, const struct sim_task *task)
{
	const cpu_set_t *allowed = task_allowed(task);

	for (__u32 cpu = 0; cpu < m->nr_cpus; cpu++)
		if (CPU_ISSET(cpu, allowed) && m->cpus[cpu].online &&
		    is_whole_idle(&m->cores[m->cpus[cpu].core]))
			return true;
	return false;
}

static bool is_shared(const struct metrics *m, const struct metrics_cpu *cpu)
{
	return cpu->counted && m->cores[cpu->core].nr_busy > 1;
}

static __u32 nr_restricted_in_waste(const struct metrics *m)
{
	__u32 nr = 0, left = m->nr_shared_restricted;

	for (__u32 cpu = 0; cpu < m->nr_cpus && left; cpu++) {
		const struct metrics_cpu *c = &m->cpus[cpu];

		if (!is_shared(m, c) || !c->restricted)
			continue;
		left--;
		nr += may_use_idle_core(m, c->task);
	}
	return nr;
}

void metrics_cores_sum(struct metrics *m, __u64 until_ns)
{
	double ns = (double)(until_ns - m->now_ns);
	__u32 wasting = 0;

	if (m->nr_idle_cores) {
		wasting = m->nr_shared - m->nr_shared_restricted;
		if (m->nr_shared_restricted)
			wasting += nr_restricted_in_waste(m);
	}
	m->run_ns += m->nr_running * ns;
	m->shared_ns += m->nr_shared * ns;
	m->waste_ns += wasting * ns;
}

/* Take what the core adds to the sums out of them (-1), or put it back (1). */
static void count_core(struct metrics *m, __s32 first, __s32 sign)
{
	__s32 cpu = first;

	m->nr_idle_cores += is_whole_idle(&m->cores[first]) ? (__u32)sign : 0;
	do {
		const struct metrics_cpu *c = &m->cpus[cpu];

		m->nr_running += c->counted ? (__u32)sign : 0;
		m->nr_shared += is_shared(m, c) ? (__u32)sign : 0;
		m->nr_shared_restricted += is_shared(m, c) && c->restricted ? (__u32)sign : 0;
		cpu = m->machine->topology.cpus[cpu].sibling;
	} while (cpu != first);
}

void metrics_cores_occupy(struct metrics *m, __s32 cpu, bool busy)
{
	struct metrics_cpu *c = &m->cpus[cpu];
	struct metrics_core *core = &m->cores[c->core];

	if (c->busy == busy)
		return;
	metrics_energy_core_sum(m, c->core);
	count_core(m, c->core, -1);
	c->busy = busy;
	core->nr_busy += busy ? 1 : (__u32)-1;
	count_core(m, c->core, 1);
	if (core->nr_busy == (busy ? 1 : 0))
		metrics_energy_core(m, c->core, busy);
}

void metrics_cores_run(struct metrics *m, __s32 cpu, struct metrics_task *task)
{
	struct metrics_cpu *c = &m->cpus[cpu];

	count_core(m, c->core, -1);
	c->task = task ? task->task : NULL;
	c->counted = task && !task_spec(task->task)->background ? task : NULL;
	c->restricted = task && task_view(task->task)->nr_allowed < m->nr_usable;
	count_core(m, c->core, 1);
}

void metrics_cores_online(struct metrics *m, __s32 cpu, bool online)
{
	struct metrics_cpu *c = &m->cpus[cpu];

	if (c->online == online)
		return;
	count_core(m, c->core, -1);
	c->online = online;
	m->cores[c->core].nr_online += online ? 1 : (__u32)-1;
	count_core(m, c->core, 1);
}
