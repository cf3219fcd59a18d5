/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/reference-fair.h"

/*
 * Pulling: a CPU that becomes idle takes from the busiest queue, near before far; a busy one does
 * now and then at its tick, and wakes an idle one if others wait for it. Running tasks stay.
 */

__u32 fair_nr_running(struct sim *sim, __s32 cpu)
{
	struct fair_queue *queue = fair_queue_of(sim, cpu);

	return queue->nr_waiting + (queue->curr != NULL);
}

static __u32 load_of(struct sim *sim, __s32 cpu)
{
	struct fair_queue *queue = fair_queue_of(sim, cpu);
	__u32 load = queue->curr ? task_view(queue->curr->p)->weight : 0;

	for (struct fair_task *t = queue->waiting.next; t != &queue->waiting; t = t->next)
		load += task_view(t->p)->weight;
	return load;
}

/* One whose move makes the two loads more alike. */
static struct fair_task *movable(struct sim *sim, __s32 from, __s32 to, __u32 difference)
{
	struct fair_queue *queue = fair_queue_of(sim, from);

	for (struct fair_task *t = queue->waiting.next; t != &queue->waiting; t = t->next)
		if (!t->sent && reference_may_use(t->p, to) && task_view(t->p)->weight < difference)
			return t;
	return NULL;
}

/* Takes one over to the queue of `cpu` from that with the most load. */
struct fair_task *fair_pull(struct sim *sim, __s32 cpu, const cpu_set_t *from)
{
	struct fair *fair = fair_of(sim);
	struct fair_task *best = NULL;
	__u32 most = 0, own = fair->nr_waiting ? load_of(sim, cpu) : 0;
	bool idle = !fair_nr_running(sim, cpu);

	for (__s32 other = 0; fair->nr_waiting && other < (__s32)fair->reference.nr_cpus; other++) {
		__u32 load = CPU_ISSET((size_t)other, from) ? load_of(sim, other) : 0;
		struct fair_task *task;

		if (other == cpu || load <= most || load <= own)
			continue;
		task = movable(sim, other, cpu, idle ? ~0U : load - own);
		if (!task)
			continue;
		best = task;
		most = load;
	}
	if (!best)
		return NULL;
	fair_leave(sim, best);
	fair_place(sim, best, cpu);
	fair_attach(sim, best);
	return best;
}

/* The idle one looks for work when it is kicked. No walk: the queue may change under it. */
static void wake_idle(struct sim *sim, __s32 cpu)
{
	struct fair_queue *queue = fair_queue_of(sim, cpu);
	struct fair_task *first = queue->waiting.next;
	__s32 idle;

	if (first == &queue->waiting || first->sent)
		return;
	idle = reference_pick(sim, first->p, NULL, false);
	if (idle >= 0)
		kernel_kick_cpu(sim, idle, SIM_KICK_IDLE);
}

void fair_balance(struct sim *sim, __s32 cpu)
{
	struct fair *fair = fair_of(sim);
	struct fair_queue *queue = fair_queue_of(sim, cpu);
	bool wide;

	wake_idle(sim, cpu);
	if (sim_now_ns(sim) < queue->balanced_ns + FAIR_BALANCE_NS)
		return;
	queue->balanced_ns = sim_now_ns(sim);
	wide = queue->nr_balanced++ % FAIR_WIDE_EVERY == 0;
	fair_pull(sim, cpu,
		  wide ? &fair->reference.all
		       : &fair->reference.domains[reference_domain_of(sim, cpu)]);
}
