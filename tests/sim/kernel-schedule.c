/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* __schedule() with balance_one(), pick_task_scx() and put_prev_task_scx(). */

/* Ask the CPU to choose again; `here` says who asks, NULL: somebody else's interrupt. */
void cpu_resched(struct sim *sim, struct sim_cpu *cpu, struct sim_cpu *here)
{
	__u64 delay_ns = cpu == here ? 0 : LATENCY_IPI_NS;

	if (cpu->idle)
		delay_ns += idle_exit_ns(sim, cpu);
	if (cpu->schedule_pending && cpu->schedule_at_ns <= sim->now_ns + delay_ns)
		return;
	cpu->schedule_pending = true;
	cpu->schedule_at_ns = sim->now_ns + delay_ns;
	sim_push(sim,
		 (struct work){ .kind = WORK_SCHEDULE,
				.cpu = cpu->id,
				.where = cpu->id,
				.generation = ++cpu->schedule_generation },
		 delay_ns);
}

void rt_enqueue(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	struct sim_cpu *cpu = cpu_of(sim, p->view.cpu);
	struct sim_task **link = &cpu->rt_first;

	while (*link)
		link = &(*link)->rt_next;
	*link = p;
	p->rt_next = NULL;
	if (!p->view.queued)
		sim->nr_runnable++;
	p->view.queued = true;
	p->state = TASK_RUNNABLE;
	if (!cpu->curr || cpu->curr->view.sched_class == CLASS_FAIR)
		cpu_resched(sim, cpu, here);
}

void rt_remove(struct sim *sim, struct sim_task *p)
{
	struct sim_task **link = &cpu_of(sim, p->view.cpu)->rt_first;

	while (*link && *link != p)
		link = &(*link)->rt_next;
	if (*link)
		*link = p->rt_next;
}

static bool is_fair(const struct sim_task *p)
{
	return p && p->view.sched_class == CLASS_FAIR;
}

static void stop(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev)
{
	prev->view.running = false;
	cpu_stop_running(sim, cpu);
	OBSERVE(sim, EVENT_STOP, .task = prev, .cpu = cpu->id, .runnable = prev->view.queued);
}

/* It still could run. `next`: what takes its place, NULL: nothing does. */
static void put_prev(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev,
		     const struct sim_task *next)
{
	if (!prev || !prev->view.running)
		return;
	if (!is_fair(prev)) {
		stop(sim, cpu, prev);
		return;
	}
	call_stopping(sim, cpu, prev, true);
	stop(sim, cpu, prev);
	prev->runnable_ns = sim->now_ns;
	if (prev->view.slice_ns)
		local_insert(sim, cpu, prev, SIM_ENQ_HEAD); /* preempted, not at its end */
	else
		task_requeue(sim, prev, cpu, next ? 0 : SIM_ENQ_LAST);
}

static void deactivate(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev)
{
	if (is_fair(prev)) {
		task_dequeue(sim, prev, cpu, SIM_DEQ_SLEEP);
	} else {
		prev->view.queued = false;
		sim->nr_runnable--;
	}
	stop(sim, cpu, prev);
}

/* Find it something to do. True: prev goes on. Otherwise the local queue says. */
static bool balance(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev)
{
	bool prev_queued = prev && prev->view.queued;
	__u32 nr_moved = 1, nr_loops = 0;

	while (1) {
		if (prev_queued && prev->view.slice_ns)
			return true;
		if (cpu->local.tasks.nr || dsq_move_to_local(sim, &sim->global, cpu))
			return false;
		if (!nr_moved)
			break;
		if (nr_loops++ == DISPATCH_LOOPS) {
			cpu_resched(sim, cpu, NULL); /* go on, but let others have the lock */
			break;
		}
		nr_moved = call_dispatch(sim, cpu, prev);
	}
	return prev_queued && !(sim->policy->ops_flags & SIM_OPS_ENQ_LAST);
}

static struct sim_task *pick(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev)
{
	struct sim_task *next;

	if (prev && !is_fair(prev) && prev->view.queued)
		return prev;
	if (cpu->rt_first)
		return cpu->rt_first;
	next = balance(sim, cpu, is_fair(prev) ? prev : NULL) ? prev : dsq_first(&cpu->local);
	if (next && !next->view.slice_ns)
		next->view.slice_ns = SIM_SLICE_DEFAULT;
	return next;
}

static void run(struct sim *sim, struct sim_cpu *cpu, struct sim_task *next)
{
	__s32 from = next->last_cpu;

	if (is_fair(next)) {
		dsq_remove(next);
	} else {
		cpu->rt_first = next->rt_next;
	}
	if (cpu->idle)
		idle_leave(sim, cpu);
	next->on_cpu = next->view.cpu = cpu->id;
	next->view.running = true;
	cpu->curr = next;
	cpu_charge(cpu, COST_SWITCH_NS);
	task_moved(sim, next, cpu->id);
	if (is_fair(next))
		call_running(sim, cpu, next);
	OBSERVE(sim, EVENT_RUN, .task = next, .cpu = cpu->id, .from_cpu = from);
	cpu_start_running(sim, cpu);
	cpu_start_tick(sim, cpu);
}

static void switch_to(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev,
		      struct sim_task *next)
{
	put_prev(sim, cpu, prev, next);
	if (next) {
		run(sim, cpu, next);
		return;
	}
	cpu->curr = NULL;
	cpu->overhead_ns = 0;
	if (cpu->idle)
		idle_set_bit(sim, cpu); /* a claim that found nothing to run is over */
	else
		idle_enter(sim, cpu);
}

/* Its mask changed under it: the stopper thread takes it away. */
void cpu_evict(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev)
{
	if (is_fair(prev))
		call_stopping(sim, cpu, prev, true);
	stop(sim, cpu, prev);
	prev->runnable_ns = sim->now_ns;
	prev->on_cpu = -1;
	cpu->curr = NULL;
	task_requeue_on(sim, prev, cpu, task_fallback_cpu(sim, prev));
}

void cpu_schedule(struct sim *sim, struct sim_cpu *cpu)
{
	struct sim_task *prev = cpu->curr, *next;
	bool dead = prev && prev->state == TASK_DEAD;

	cpu->schedule_pending = false;
	if (!cpu->online)
		return;
	cpu->locked = true;
	if (cpu->idle)
		cpu->overhead_ns = 0; /* of interrupts meanwhile: nobody waited for it */
	cpu_update(sim, cpu);
	if (prev && prev->state != TASK_RUNNABLE) {
		deactivate(sim, cpu, prev);
	} else if (prev && prev->must_move) {
		prev->must_move = false;
		if (!task_may_run(sim, prev, cpu->id)) {
			cpu_evict(sim, cpu, prev);
			prev = NULL;
		}
	}
	next = pick(sim, cpu, prev);
	if (!next || next != prev)
		switch_to(sim, cpu, prev, next);
	cpu->locked = false;
	if (prev && prev != cpu->curr && prev->on_cpu == cpu->id)
		prev->on_cpu = -1;
	if (dead)
		task_finish(sim, prev, cpu);
}
