/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* Dispatch queues: one local queue per CPU, the global one, and those that the policy creates. */

static struct sim_task *task_of(struct queue_node *node)
{
	return node ? (struct sim_task *)((char *)node - offsetof(struct sim_task, node)) : NULL;
}

struct sim_task *dsq_first(const struct dsq *dsq)
{
	return task_of(queue_first(&dsq->tasks));
}

struct sim_task *dsq_next(struct sim_task *p)
{
	return task_of(queue_next(&p->node));
}

static struct dsq **slot_of(struct dsq **dsqs, __u32 size, __u64 id)
{
	__u32 i = (id * 0x9e3779b97f4a7c15) >> 32;

	while (dsqs[i % size] && dsqs[i % size]->id != id)
		i++;
	return &dsqs[i % size];
}

/* The queue that an id means to somebody whose own CPU is `this_cpu`; NULL if there is none. */
struct dsq *dsq_find(const struct sim *sim, __u64 id, __s32 this_cpu)
{
	__u64 cpu = id & ~SIM_DSQ_LOCAL_ON;

	if (id == SIM_DSQ_LOCAL)
		return &sim->cpus[this_cpu].local;
	if (id == SIM_DSQ_GLOBAL)
		return (struct dsq *)&sim->global;
	if ((id & SIM_DSQ_LOCAL_ON) == SIM_DSQ_LOCAL_ON)
		return cpu < sim->topology->nr_cpus ? &sim->cpus[cpu].local : NULL;
	return sim->nr_dsqs ? *slot_of(sim->dsqs, sim->size_dsqs, id) : NULL;
}

static int grow(struct sim *sim)
{
	__u32 size = sim->size_dsqs ? 2 * sim->size_dsqs : 256;
	struct dsq **dsqs = calloc(size, sizeof(struct dsq *));

	if (!dsqs)
		return -ENOMEM;
	for (__u32 i = 0; i < sim->size_dsqs; i++)
		if (sim->dsqs[i])
			*slot_of(dsqs, size, sim->dsqs[i]->id) = sim->dsqs[i];
	free(sim->dsqs);
	sim->dsqs = dsqs;
	sim->size_dsqs = size;
	return 0;
}

int kernel_create_dsq(struct sim *sim, __u64 id)
{
	struct dsq *dsq;

	if (id >> 63 || id == DSQ_INVALID)
		return -EINVAL;
	if (dsq_find(sim, id, 0))
		return -EEXIST;
	if (2 * sim->nr_dsqs >= sim->size_dsqs && grow(sim) < 0)
		return -ENOMEM;
	dsq = calloc(1, sizeof(*dsq));
	if (!dsq)
		return -ENOMEM;
	dsq->id = id;
	dsq->cpu = -1;
	*slot_of(sim->dsqs, sim->size_dsqs, id) = dsq;
	sim->nr_dsqs++;
	return 0;
}

void dsq_free_all(struct sim *sim)
{
	for (__u32 i = 0; i < sim->size_dsqs; i++)
		free(sim->dsqs[i]);
	free(sim->dsqs);
}

void dsq_insert(struct sim *sim, struct dsq *dsq, const struct insert *insert)
{
	struct sim_task *p = insert->task;

	if (p->dsq)
		abort(); /* in two queues: the model is broken, not the policy */
	if (dsq->tasks.nr && dsq->by_vtime != insert->by_vtime)
		sim_eject(sim, "DSQ %llu already had %s tasks when %s was inserted",
			  (unsigned long long)dsq->id, dsq->by_vtime ? "vtime" : "FIFO", p->name);
	dsq->by_vtime = insert->by_vtime;
	queue_insert(&dsq->tasks, &p->node, insert->by_vtime ? insert->vtime : 0,
		     insert->enq_flags & SIM_ENQ_HEAD);
	p->dsq = dsq;
	OBSERVE(sim, EVENT_INSERTED, .task = p, .cpu = p->view.cpu, .dsq = dsq->id);
}

void dsq_remove(struct sim_task *p)
{
	queue_remove(&p->dsq->tasks, &p->node);
	p->dsq = NULL;
}

/* Take the first task that the CPU may run into its local queue. */
bool dsq_move_to_local(struct sim *sim, struct dsq *dsq, struct sim_cpu *cpu)
{
	struct sim_task *p = dsq_first(dsq);

	if (!p)
		return false;
	cpu_charge(cpu, lock_cost_ns(sim, dsq, cpu));
	while (p && !task_may_run(sim, p, cpu->id))
		p = dsq_next(p);
	if (!p)
		return false;
	cpu_charge(cpu, p->view.cpu == cpu->id ? COST_MOVE_LOCAL_NS : COST_MOVE_REMOTE_NS);
	dsq_remove(p);
	local_insert(sim, cpu, p, 0);
	return true;
}

__u32 kernel_nr_queued(const struct sim *sim, __u64 id)
{
	const struct dsq *dsq;

	kernel_yield(sim);
	dsq = dsq_find(sim, id, kernel_this_cpu(sim));
	return dsq ? dsq->tasks.nr : 0;
}

struct sim_task *kernel_dsq_first(const struct sim *sim, __u64 id)
{
	const struct dsq *dsq;

	kernel_yield(sim);
	dsq = dsq_find(sim, id, kernel_this_cpu(sim));
	return dsq ? dsq_first(dsq) : NULL;
}
