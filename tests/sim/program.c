/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/*
 * Programs say what they do step by step. What they ask of others on the way is carried out when
 * they have said the step, by their CPU and before the step begins: so no program sees another one
 * act while it does, however callbacks interleave.
 */

static void add(struct sim *sim, struct action action)
{
	struct actions *actions = sim->actions;

	if (actions->nr == actions->size) {
		actions->size = actions->size ? 2 * actions->size : 16;
		actions->actions = reallocarray(actions->actions, actions->size, sizeof(action));
		if (!actions->actions)
			abort();
	}
	actions->actions[actions->nr++] = action;
}

static struct sim_cpu *cpu_where(struct sim *sim, const struct sim_task *task)
{
	return task && task->view.running ? cpu_of(sim, task->view.cpu) : NULL;
}

void sim_fork(struct sim *sim, struct sim_task *task, struct sim_task *parent)
{
	add(sim,
	    (struct action){ .kind = ACTION_FORK, .task = task, .here = cpu_where(sim, parent) });
}

void sim_wake(struct sim *sim, struct sim_task *task, struct sim_task *waker, __u64 wake_flags)
{
	add(sim, (struct action){ .kind = ACTION_WAKE,
				  .task = task,
				  .here = cpu_where(sim, waker),
				  .flags = wake_flags | SIM_WAKE_TTWU });
}

void sim_set_allowed(struct sim *sim, struct sim_task *task, const cpu_set_t *allowed)
{
	cpu_set_t existing;

	CPU_ZERO(&existing);
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (sim->cpus[i].exists && CPU_ISSET(i, allowed))
			CPU_SET(i, &existing);
	if (!CPU_COUNT(&existing))
		return; /* EINVAL, says the kernel */
	task->new_allowed = existing;
	task->change_allowed = true;
	add(sim, (struct action){ .kind = ACTION_CHANGE, .task = task });
}

void sim_set_nice(struct sim *sim, struct sim_task *task, __s32 nice)
{
	task->new_nice = nice;
	task->change_nice = true;
	add(sim, (struct action){ .kind = ACTION_CHANGE, .task = task });
}

void sim_set_online(struct sim *sim, __s32 cpu, bool online)
{
	add(sim, (struct action){ .kind = ACTION_HOTPLUG, .cpu = cpu, .online = online });
}

static void fork_one(struct sim *sim, struct sim_task *p, struct sim_cpu *here)
{
	struct sim_cpu *where = here ?: any_online_cpu(sim);

	p->has_policy = true;
	if (call_init_task(sim, where, p) < 0)
		sim_eject(sim, "init_task of %s[%d] failed", p->name, p->view.pid);
	else
		task_wake(sim, p, here, SIM_WAKE_FORK);
}

static void do_action(struct sim *sim, const struct action *action, struct sim_cpu *here)
{
	switch (action->kind) {
	case ACTION_WAKE:
		action->task->view.by_interrupt = false;
		task_wake(sim, action->task, here, action->flags);
		break;
	case ACTION_FORK:
		fork_one(sim, action->task, here);
		break;
	case ACTION_CHANGE:
		task_change(sim, action->task, here);
		break;
	case ACTION_HOTPLUG:
		sim_push(sim,
			 (struct work){ .kind = WORK_HOTPLUG,
					.cpu = action->cpu,
					.flags = action->online,
					.where = -1 },
			 0);
	}
}

/* `here`: the CPU of the program, which does nothing else meanwhile; NULL: there is no program. */
void sim_do_actions(struct sim *sim, struct actions *actions, struct sim_cpu *here)
{
	struct action action;

	for (__u32 i = 0; i < actions->nr && !sim->error; i++) {
		action = actions->actions[i]; /* the array may move */
		do_action(sim, &action, here ?: action.here);
	}
	actions->nr = 0;
}

void sim_do_call(struct sim *sim, const struct work *work)
{
	struct actions actions = {}, *outer = sim->actions;

	sim->actions = &actions;
	work->call(sim, work->data);
	sim->actions = outer;
	sim_do_actions(sim, &actions, NULL);
	free(actions.actions);
}

static struct step ask(struct sim *sim, struct sim_task *p)
{
	struct actions actions = {}, *outer = sim->actions;
	struct step step;

	sim->actions = &actions;
	step = p->spec.program->next(sim, p, p->spec.data);
	sim->actions = outer;
	sim_do_actions(sim, &actions, cpu_of(sim, p->view.cpu));
	free(actions.actions);
	return step;
}

/* Does time pass between the steps? */
static bool makes_progress(struct sim *sim, struct sim_task *p)
{
	if (p->step_ns != sim->now_ns)
		p->nr_steps = 0;
	p->step_ns = sim->now_ns;
	if (++p->nr_steps <= ZERO_TIME_STEPS)
		return true;
	sim_eject(sim, "program of %s[%d] does %u steps in no time", p->name, p->view.pid,
		  p->nr_steps);
	return false;
}

static void sleep_until(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p, __u64 until_ns)
{
	p->state = TASK_BLOCKED;
	p->waits_for_time = true;
	sim_push(sim, (struct work){ .kind = WORK_WAKE_TIMER, .task = p, .where = cpu->id },
		 until_ns - sim->now_ns);
}

/* True if the step is over at once. */
static bool begin_step(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p,
		       const struct step *step)
{
	switch (step->kind) {
	case STEP_RUN:
		p->work = (step->work_ns < WORK_MAX_NS ? step->work_ns : WORK_MAX_NS) * SPEED_ONE;
		return !p->work;
	case STEP_SLEEP:
		if (step->until_ns <= sim->now_ns)
			return true;
		sleep_until(sim, cpu, p, step->until_ns);
		return false;
	case STEP_BLOCK:
		if (!p->woken)
			p->state = TASK_BLOCKED;
		else
			p->woken = false;
		return p->state != TASK_BLOCKED;
	case STEP_YIELD:
		if (p->view.sched_class == CLASS_FAIR)
			p->view.slice_ns = 0;
		cpu_charge(cpu, COST_YIELD_NS);
		return false;
	case STEP_EXIT:
		p->view.exiting = true;
		p->state = TASK_DEAD;
	}
	return false;
}

/* The step of the task that runs may be done. */
void cpu_step(struct sim *sim, struct sim_cpu *cpu)
{
	struct sim_task *p = cpu->curr;
	struct step step;

	cpu->step_at_ns = 0;
	cpu_update(sim, cpu);
	if (cpu->overhead_ns || p->refill || p->work) {
		cpu_predict(sim, cpu);
		return;
	}
	do {
		if (!makes_progress(sim, p))
			return;
		step = ask(sim, p);
	} while (!sim->error && begin_step(sim, cpu, p, &step));
	if (sim->error)
		return;
	if (step.kind != STEP_RUN)
		cpu_schedule(sim, cpu);
	if (cpu->curr == p && cpu->running)
		cpu_predict(sim, cpu);
}
