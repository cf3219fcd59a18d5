/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/kernel.h"

/* Changes of a task's mask and weight, which take it off its queue and put it back. */

__u32 nice_to_weight(__s32 nice)
{
	static const __u32 weights[] = {
		88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
		9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,
		1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,
		110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,
	};

	nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
	return (weights[nice + 20] * 100 + 512) / 1024;
}

static void apply(struct sim_task *p)
{
	if (p->change_allowed) {
		p->allowed = p->new_allowed;
		p->view.nr_allowed = CPU_COUNT(&p->allowed);
	}
	if (p->change_nice)
		p->view.weight = nice_to_weight(p->new_nice);
	p->change_allowed = p->change_nice = false;
}

/* sched_change_begin() and sched_change_end(). */
static void apply_queued(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	bool running = p->view.running;

	task_dequeue(sim, p, here, 0);
	apply(p);
	p->view.queued = true;
	sim->nr_runnable++;
	call_runnable(sim, here, p, 0);
	if (running)
		call_running(sim, here, p); /* never left the CPU, whatever it looks like */
	else
		task_requeue(sim, p, here, 0);
}

static void move_if_not_allowed(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	struct sim_cpu *cpu = cpu_of(sim, p->view.cpu);

	if (!p->view.queued || task_may_run(sim, p, cpu->id))
		return;
	if (p->view.running) {
		p->must_move = true;
		cpu_resched(sim, cpu, here);
	} else {
		task_requeue_on(sim, p, here, task_fallback_cpu(sim, p));
	}
}

void task_change(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	struct work work = { .kind = WORK_CHANGE, .task = p };
	struct sim_cpu *cpu = cpu_of(sim, p->view.cpu);

	if (!here)
		here = any_online_cpu(sim);
	work.where = here->id;
	if (!work_is_ready(sim, &work)) {
		sim_push(sim, work, 0);
		return;
	}
	if (!p->view.queued || p->view.sched_class != CLASS_FAIR || p->state == TASK_DEAD) {
		apply(p);
	} else {
		p->locked = cpu->locked = true;
		apply_queued(sim, p, here);
		p->locked = cpu->locked = false;
	}
	move_if_not_allowed(sim, p, here);
}
