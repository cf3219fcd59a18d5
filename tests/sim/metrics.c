/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>

#include "service/cleanup.h"
#include "tests/sim/metrics-parts.h"

/* The observer: sums up until the event, then hands the event to the parts. */

void metrics_sum_until(struct metrics *m, __u64 now_ns)
{
	if (now_ns == m->now_ns)
		return;
	metrics_cores_sum(m, now_ns);
	metrics_energy_sum(m, now_ns);
	metrics_fairness_sum(m, now_ns);
	m->now_ns = now_ns;
}

static void on_wake(struct metrics *m, struct metrics_task *task)
{
	task->woken_ns = m->now_ns + 1; /* 0 says that there was none */
	if (task->wants_since_ns == ~0ULL)
		task->wants_since_ns = m->now_ns;
	metrics_waits_begin(m, task);
}

static void on_run(struct metrics *m, struct metrics_task *task, __s32 cpu)
{
	if (task->woken_ns)
		histogram_add(&m->rows[task->group].wakeups, m->now_ns + 1 - task->woken_ns);
	task->woken_ns = 0;
	task->runs_since_ns = m->now_ns;
	task->is_running = true;
	metrics_waits_end(m, task);
	metrics_moves_run(m, task, cpu);
	metrics_cores_run(m, cpu, task);
}

static void on_stop(struct metrics *m, struct metrics_task *task, const struct sim_event *event)
{
	__u64 ran_ns = m->now_ns - task->runs_since_ns;

	if (m->cpus[event->cpu].task != task->task)
		return;
	task->exec_ns += ran_ns;
	task->is_running = false;
	m->rows[task->group].exec_ns += ran_ns;
	metrics_cores_run(m, event->cpu, NULL);
	if (event->runnable)
		metrics_waits_begin(m, task);
	else
		task->wants_since_ns = ~0ULL;
}

static void on_exit_task(struct metrics *m, struct metrics_task *task)
{
	metrics_waits_end(m, task);
	task->wants_since_ns = ~0ULL;
	if (!task_spec(task->task)->background)
		m->ended_ns = m->now_ns;
}

static void see_task(struct metrics *m, struct metrics_task *task, const struct sim_event *event)
{
	switch (event->kind) {
	case EVENT_WAKE:
		return on_wake(m, task);
	case EVENT_INSERTED:
		return metrics_waits_inserted(m, task, event);
	case EVENT_RUN:
		return on_run(m, task, event->cpu);
	case EVENT_STOP:
		return on_stop(m, task, event);
	case EVENT_FRAME:
		return metrics_groups_frame(m, task, event->late_ns);
	case EVENT_EXIT:
		return on_exit_task(m, task);
	default:
		return;
	}
}

static void on_busy(struct metrics *m, __s32 cpu)
{
	metrics_waits_busy(m, cpu);
	metrics_cores_occupy(m, cpu, true);
}

static void on_idle(struct metrics *m, __s32 cpu)
{
	if (!m->cpus[cpu].busy)
		return;
	metrics_waits_idle(m, cpu);
	metrics_cores_occupy(m, cpu, false);
}

/* A CPU that is away is neither idle nor busy. */
static void on_online(struct metrics *m, __s32 cpu, bool online)
{
	metrics_waits_busy(m, cpu);
	metrics_cores_occupy(m, cpu, false);
	metrics_cores_online(m, cpu, online);
	if (online)
		metrics_waits_idle(m, cpu);
}

static void see_cpu(struct metrics *m, const struct sim_event *event)
{
	switch (event->kind) {
	case EVENT_IDLE:
		return on_idle(m, event->cpu);
	case EVENT_BUSY:
		return on_busy(m, event->cpu);
	case EVENT_KICK:
		m->nr_kicks++;
		return;
	case EVENT_DONATE:
		m->nr_donations++;
		return;
	case EVENT_ONLINE:
	case EVENT_OFFLINE:
		return on_online(m, event->cpu, event->kind == EVENT_ONLINE);
	case EVENT_SPEED:
		return metrics_energy_speed(m, event->cpu, event->speed);
	default:
		return;
	}
}

static void see(struct sim *sim, const struct sim_event *event, void *data)
{
	struct metrics *m = data;
	struct metrics_task *task = NULL;

	if (event->kind == EVENT_STEP)
		return;
	metrics_sum_until(m, sim_now_ns(sim));
	if (event->task && task_view(event->task)->sched_class == CLASS_FAIR)
		task = metrics_task_of(m, event->task);
	if (task)
		see_task(m, task, event);
	see_cpu(m, event);
}

static void look_at_cpu(struct metrics *m, __s32 cpu)
{
	const struct donor_cpu_topology *t = &m->topology->cpus[cpu];
	struct metrics_cpu *c = &m->cpus[cpu];

	c->core = t->core < m->nr_cpus ? t->core : cpu;
	c->speed = 1024;
	m->cores[c->core].speed = 1024;
	c->online = cpu_is_online(m->sim, cpu);
	m->cores[c->core].nr_online += c->online;
	m->nr_usable += t->domain != DONOR_NONE;
	metrics_list_init(&c->idle);
	if (!c->online)
		return;
	if (cpu_is_idle(m->sim, cpu))
		metrics_waits_idle(m, cpu);
	else
		metrics_cores_occupy(m, cpu, true);
}

static void look_at_cpus(struct metrics *m)
{
	for (__u32 cpu = 0; cpu < m->nr_cpus; cpu++)
		look_at_cpu(m, (__s32)cpu);
	m->nr_idle_cores = 0;
	for (__u32 cpu = 0; cpu < m->nr_cpus; cpu++)
		m->nr_idle_cores += m->cores[cpu].nr_online && !m->cores[cpu].nr_busy;
}

int metrics_new(struct sim *sim, struct metrics **ret)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->sim = sim;
	m->topology = sim_topology(sim);
	m->machine = sim_machine(sim);
	m->nr_cpus = m->topology->nr_cpus;
	m->now_ns = m->window_ns = sim_now_ns(sim);
	metrics_list_init(&m->idle);
	metrics_list_init(&m->waiting);
	m->cpus = calloc(m->nr_cpus, sizeof(*m->cpus));
	m->cores = calloc(m->nr_cpus, sizeof(*m->cores));
	if (!m->cpus || !m->cores) {
		metrics_free(m);
		return -ENOMEM;
	}
	look_at_cpus(m);
	sim_observe(sim, see, m);
	*ret = m;
	return 0;
}

struct metrics *metrics_free(struct metrics *m)
{
	if (!m)
		return NULL;
	metrics_groups_free(m);
	free(m->cpus);
	free(m->cores);
	free(m);
	return NULL;
}
