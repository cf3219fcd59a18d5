/* SPDX-License-Identifier: GPL-2.0-only */

#include <stddef.h>

#include "tests/sim/metrics-parts.h"

/*
 * Work conservation: a task waits while one CPU that it may use is idle, both for longer than the
 * grace. Each moment of a wait and each moment of idleness is charged once: when the wait or the
 * idleness ends, the longest counterpart is taken and both are charged until now. Both sides hang
 * in lists ordered by their start, so that in a healthy run the search ends at its first step.
 */

#define cpu_of(entry) ((struct metrics_cpu *)((char *)(entry) - offsetof(struct metrics_cpu, idle)))
#define task_of(entry)                                                                             \
	((struct metrics_task *)((char *)(entry) - offsetof(struct metrics_task, waiting)))

static void charge(struct metrics *m, __u64 ns)
{
	m->nr_violations++;
	m->violation_total_ns += ns;
	if (ns > m->violation_max_ns)
		m->violation_max_ns = ns;
}

static __u64 later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

void metrics_waits_begin(struct metrics *m, struct metrics_task *task)
{
	if (task->is_waiting)
		return;
	task->is_waiting = true;
	task->on_way = false;
	task->wait_from_ns = m->now_ns;
	metrics_list_append(&m->waiting, &task->waiting);
}

/* In the queue of an idle CPU nobody else may take it: it waits for that CPU to wake. */
void metrics_waits_inserted(struct metrics *m, struct metrics_task *task,
			    const struct sim_event *event)
{
	bool local = event->dsq >= SIM_DSQ_LOCAL && event->cpu >= 0;

	task->on_way = local && !m->cpus[event->cpu].busy;
}

static void charge_wait(struct metrics *m, struct metrics_task *task)
{
	for (struct metrics_list *e = m->idle.next; e != &m->idle; e = e->next) {
		struct metrics_cpu *cpu = cpu_of(e);
		__u64 from_ns = later(cpu->idle_since_ns, task->wait_from_ns);

		if (cpu->idle_since_ns + METRICS_GRACE_NS >= m->now_ns)
			return;
		if (!CPU_ISSET((size_t)(cpu - m->cpus), task_allowed(task->task)))
			continue;
		charge(m, m->now_ns - from_ns);
		cpu->idle_since_ns = m->now_ns;
		metrics_list_remove(e);
		metrics_list_append(&m->idle, e);
		return;
	}
}

void metrics_waits_end(struct metrics *m, struct metrics_task *task)
{
	__u64 grace_ns = task->on_way ? METRICS_GRACE_WAKING_NS : METRICS_GRACE_NS;

	if (!task->is_waiting)
		return;
	task->is_waiting = false;
	metrics_list_remove(&task->waiting);
	if (m->now_ns - task->wait_from_ns > grace_ns)
		charge_wait(m, task);
}

void metrics_waits_idle(struct metrics *m, __s32 cpu)
{
	m->cpus[cpu].idle_since_ns = m->now_ns;
	metrics_list_append(&m->idle, &m->cpus[cpu].idle);
}

static void charge_idleness(struct metrics *m, __s32 cpu)
{
	for (struct metrics_list *e = m->waiting.next; e != &m->waiting; e = e->next) {
		struct metrics_task *task = task_of(e);

		if (task->wait_from_ns + METRICS_GRACE_NS >= m->now_ns)
			return;
		if (task->on_way || !CPU_ISSET((size_t)cpu, task_allowed(task->task)))
			continue;
		charge(m, m->now_ns - later(m->cpus[cpu].idle_since_ns, task->wait_from_ns));
		task->wait_from_ns = m->now_ns;
		metrics_list_remove(e);
		metrics_list_append(&m->waiting, e);
		return;
	}
}

void metrics_waits_busy(struct metrics *m, __s32 cpu)
{
	struct metrics_list *entry = &m->cpus[cpu].idle;

	if (entry->next == entry)
		return;
	metrics_list_remove(entry);
	if (m->now_ns - m->cpus[cpu].idle_since_ns > METRICS_GRACE_NS)
		charge_idleness(m, cpu);
}

/* Who still waits at the end of the run has no other event that would tell. */
void metrics_waits_finish(struct metrics *m)
{
	while (m->waiting.next != &m->waiting)
		metrics_waits_end(m, task_of(m->waiting.next));
}
