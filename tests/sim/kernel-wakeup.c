/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* try_to_wake_up() and wake_up_new_task(): choose a CPU under the lock of the task, then enqueue
 * under the lock of its run queue. */

struct sim_cpu *any_online_cpu(struct sim *sim)
{
	struct sim_cpu *cpu = cpu_of(sim, 0);

	while (!cpu->online)
		cpu++; /* the last one cannot go offline */
	return cpu;
}

static __s32 first_allowed(struct sim *sim, const struct sim_task *p, bool same_node)
{
	const struct donor_topology *topology = sim->topology;
	__u16 node = topology->domains[topology->cpus[p->view.cpu].domain].node;

	for (__u32 i = 0; i < topology->nr_cpus; i++)
		if (task_may_run(sim, p, i) &&
		    (!same_node || topology->domains[topology->cpus[i].domain].node == node))
			return i;
	return -1;
}

/* Where the kernel puts a task that may not go where the policy wants it. */
__s32 task_fallback_cpu(struct sim *sim, struct sim_task *p)
{
	__s32 cpu = first_allowed(sim, p, true);

	if (cpu < 0)
		cpu = first_allowed(sim, p, false);
	if (cpu >= 0)
		return cpu;
	CPU_ZERO(&p->allowed); /* nothing left: the kernel breaks its mask */
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (sim->cpus[i].exists)
			CPU_SET(i, &p->allowed);
	p->view.nr_allowed = CPU_COUNT(&p->allowed);
	return first_allowed(sim, p, false);
}

static __s32 only_allowed(const struct sim *sim, const struct sim_task *p)
{
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (CPU_ISSET(i, &p->allowed))
			return i;
	return -1;
}

static __s32 select_for_rt(struct sim *sim, struct sim_task *p)
{
	const struct sim_cpu *cpu;

	for (__u32 i = 0; i <= sim->topology->nr_cpus; i++) {
		cpu = cpu_of(sim, i ? (__s32)i - 1 : p->view.cpu);
		if (task_may_run(sim, p, cpu->id) && !cpu->rt_first &&
		    (!cpu->curr || cpu->curr->view.sched_class == CLASS_FAIR))
			return cpu->id;
	}
	return p->view.cpu;
}

static __s32 select_cpu(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	__s32 cpu;

	if (p->view.sched_class == CLASS_RT)
		return select_for_rt(sim, p);
	if (p->view.nr_allowed == 1)
		return only_allowed(sim, p);
	cpu = call_select_cpu(sim, here, p, p->wake_flags);
	if (cpu < 0 || cpu >= (__s32)sim->topology->nr_cpus) {
		sim_eject(sim, "select_cpu returned invalid CPU %d for %s[%d]", cpu, p->name,
			  p->view.pid);
		cpu = p->view.cpu;
	}
	return cpu;
}

void task_select(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	struct work work = { .kind = WORK_ENQUEUE, .task = p, .where = here->id };
	__s32 cpu;

	p->locked = true;
	cpu = select_cpu(sim, p, here);
	if (!task_may_run(sim, p, cpu))
		cpu = task_fallback_cpu(sim, p);
	p->view.cpu = work.cpu = cpu;
	cpu_of(sim, cpu)->nr_coming++;
	cpu_charge(here, COST_WAKEUP_NS);
	if (work_is_ready(sim, &work))
		task_activate(sim, p, here);
	else
		sim_push(sim, work, 0);
}

static void activate_fair(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	if (p->state != TASK_WAKING) {
		task_requeue(sim, p, here, 0);
		return;
	}
	task_enqueue(sim, p, here, p->wake_flags & SIM_WAKE_FORK ? 0 : SIM_ENQ_WAKEUP);
	p->state = TASK_RUNNABLE;
}

/* Second half of a wakeup, and of a move to another run queue. */
void task_activate(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	struct sim_cpu *cpu = cpu_of(sim, p->view.cpu);

	cpu->nr_coming--;
	if (!cpu->online) {
		p->view.cpu = task_fallback_cpu(sim, p);
		cpu = cpu_of(sim, p->view.cpu);
	}
	cpu->locked = true;
	if (p->view.sched_class == CLASS_RT) {
		rt_enqueue(sim, p, here);
	} else {
		activate_fair(sim, p, here);
		if (cpu->idle) /* wakeup_preempt(): wherever the task went */
			cpu_resched(sim, cpu, here);
	}
	cpu->locked = false;
	p->locked = false;
}

void task_wake(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 wake_flags)
{
	struct work work = { .kind = WORK_SELECT, .task = p };
	bool blocked = p->state == TASK_NEW || (p->state == TASK_BLOCKED && !p->waits_for_time);

	if (!blocked) {
		p->woken = true;
		return;
	}
	if (!here || !here->online)
		here = sim->cpus[p->view.cpu].online ? cpu_of(sim, p->view.cpu)
						     : any_online_cpu(sim);
	p->state = TASK_WAKING;
	p->wake_flags = wake_flags;
	OBSERVE(sim, EVENT_WAKE, .task = p, .cpu = p->view.cpu);
	work.where = here->id;
	if (work_is_ready(sim, &work))
		task_select(sim, p, here);
	else
		sim_push(sim, work, 0);
}
