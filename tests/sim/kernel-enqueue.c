/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/kernel.h"

/* A task on the run queue of its CPU, view.cpu, whose lock the callers hold. */

/* Through the policy into some queue, unless select_cpu has said already into which. */
void task_do_enqueue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 enq_flags)
{
	struct insert insert;

	if (p->insert.dsq == DSQ_INVALID) {
		p->in_custody = true;
		call_enqueue(sim, here, p, enq_flags);
	}
	if (p->insert.dsq == DSQ_INVALID)
		return; /* the policy keeps it until a dispatch */
	p->in_custody = false;
	insert = p->insert;
	p->insert.dsq = DSQ_INVALID;
	insert.enq_flags |= enq_flags;
	finish_insert(sim, &insert, here);
}

/* Again, without having slept. */
void task_requeue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 enq_flags)
{
	OBSERVE(sim, EVENT_REQUEUED, .task = p, .cpu = p->view.cpu);
	task_do_enqueue(sim, p, here, enq_flags);
}

void task_enqueue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 enq_flags)
{
	p->view.queued = true;
	p->runnable_ns = sim->now_ns;
	sim->nr_runnable++;
	call_runnable(sim, here, p, enq_flags);
	task_do_enqueue(sim, p, here, enq_flags);
}

/* Out of whatever queue it is in. */
void task_take(struct sim *sim, struct sim_task *p)
{
	if (p->dsq)
		dsq_remove(p);
	else if (p->view.sched_class == CLASS_RT)
		rt_remove(sim, p);
	cancel_deferred(sim, p);
	p->in_custody = false;
	p->insert.dsq = DSQ_INVALID;
}

void task_dequeue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 deq_flags)
{
	struct sim_cpu *cpu = cpu_of(sim, p->view.cpu);

	task_take(sim, p);
	if (p->view.running) {
		cpu_update(sim, cpu);
		call_stopping(sim, here, p, false);
	}
	call_quiescent(sim, here, p, deq_flags);
	p->view.queued = false;
	sim->nr_runnable--;
}

/* To the run queue of another CPU, as the kernel does where the task may not stay. */
void task_requeue_on(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __s32 cpu)
{
	struct work work = { .kind = WORK_ENQUEUE, .task = p, .cpu = cpu, .where = here->id };

	task_take(sim, p);
	p->view.cpu = cpu;
	p->locked = true;
	cpu_of(sim, cpu)->nr_coming++;
	if (work_is_ready(sim, &work))
		task_activate(sim, p, here);
	else
		sim_push(sim, work, 0);
}
