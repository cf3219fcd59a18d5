/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>
#include <string.h>

#include "tests/sim/kernel.h"

/* Life of a task, and what others may see of it. */

static void set_allowed(struct sim *sim, struct sim_task *p, const struct task_spec *spec)
{
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (sim->cpus[i].exists && (!spec->restricted || CPU_ISSET(i, &spec->allowed)))
			CPU_SET(i, &p->allowed);
	if (!CPU_COUNT(&p->allowed))
		sim_eject(sim, "task %s may run nowhere", p->name);
	p->view.nr_allowed = CPU_COUNT(&p->allowed);
}

static __s32 birthplace(struct sim *sim, const struct sim_task *parent, const struct task_spec *spec)
{
	__s32 cpu = parent ? parent->view.cpu : spec->born_on;

	if (cpu < 0 || cpu >= (__s32)sim->topology->nr_cpus || !sim->cpus[cpu].exists)
		cpu = any_online_cpu(sim)->id;
	return cpu;
}

static void count(struct sim *sim, struct sim_task *p)
{
	*sim->last_task = p;
	sim->last_task = &p->next;
	p->view.pid = ++sim->nr_tasks;
	sim->nr_alive++;
	if (p->spec.background)
		return;
	sim->nr_foreground++;
	sim->had_foreground = true;
}

struct sim_task *sim_spawn(struct sim *sim, struct sim_task *parent, const struct task_spec *spec)
{
	struct sim_task *p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	p->spec = *spec;
	p->name = strdup(spec->name ?: "task");
	if (!p->name)
		abort();
	p->spec.name = p->name;
	p->insert.dsq = DSQ_INVALID;
	p->deferred_to = p->on_cpu = p->last_cpu = -1;
	p->view.cpu = birthplace(sim, parent, spec);
	p->view.weight = nice_to_weight(spec->nice);
	p->view.kthread = spec->kthread;
	p->view.sched_class = spec->sched_class;
	p->view.slice_ns = SIM_SLICE_DEFAULT;
	set_allowed(sim, p, spec);
	count(sim, p);
	sim_fork(sim, p, parent);
	return p;
}

static void free_program(struct sim_task *p)
{
	if (p->spec.program->free)
		p->spec.program->free(p->spec.data);
	p->spec.data = NULL;
}

/* A callback that was interrupted may still look at the storage of the task, as RCU allows it. */
static void bury(struct sim *sim, void *data)
{
	if (sim->nr_graves == sim->size_graves) {
		sim->size_graves = sim->size_graves ? 2 * sim->size_graves : 16;
		sim->graves = reallocarray(sim->graves, sim->size_graves, sizeof(void *));
		if (!sim->graves)
			abort();
	}
	sim->graves[sim->nr_graves++] = data;
}

void sim_empty_graves(struct sim *sim)
{
	while (sim->nr_graves)
		free(sim->graves[--sim->nr_graves]);
}

void task_finish(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	call_exit_task(sim, here, p);
	OBSERVE(sim, EVENT_EXIT, .task = p, .cpu = p->view.cpu);
	free_program(p);
	bury(sim, p->policy_data);
	p->policy_data = NULL;
	sim->nr_alive--;
	if (!p->spec.background)
		sim->nr_foreground--;
}

static void task_free(struct sim *sim, struct sim_task *p)
{
	if (p->state != TASK_DEAD)
		free_program(p);
	free(p->policy_data);
	free(p->metrics_data);
	free(p->name);
	free(p);
}

/* The policy ends: it is told of each task before it is told of its own end. */
void task_exit_all(struct sim *sim)
{
	sim->options.interleave = false;
	for (struct sim_task *p = sim->tasks; p; p = p->next)
		if (p->state != TASK_DEAD && p->has_policy)
			call_exit_task(sim, any_online_cpu(sim), p);
}

void task_free_all(struct sim *sim)
{
	struct sim_task *next;

	for (struct sim_task *p = sim->tasks; p; p = next) {
		next = p->next;
		task_free(sim, p);
	}
	sim->tasks = NULL;
	sim_empty_graves(sim);
	free(sim->graves);
}

const struct sim_task_view *task_view(const struct sim_task *task)
{
	return &task->view;
}

const cpu_set_t *task_allowed(const struct sim_task *task)
{
	return &task->allowed;
}

const struct task_spec *task_spec(const struct sim_task *task)
{
	return &task->spec;
}

void task_set_slice(struct sim *sim, struct sim_task *task, __u64 slice_ns)
{
	task->view.slice_ns = slice_ns;
}

void *task_policy_data(struct sim_task *task)
{
	return task->policy_data;
}

void task_set_policy_data(struct sim_task *task, void *data)
{
	task->policy_data = data;
}

void *task_metrics_data(struct sim_task *task)
{
	return task->metrics_data;
}

void task_set_metrics_data(struct sim_task *task, void *data)
{
	task->metrics_data = data;
}

struct sim_task *sim_next_task(const struct sim *sim, struct sim_task *task)
{
	return task ? task->next : sim->tasks;
}
