/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* Calls into the policy. Each knows on which CPU it runs and what it may do there. */

static void enter(struct sim *sim, struct context *context, struct sim_cpu *cpu, enum callback kind,
		  struct sim_task *task)
{
	context->outer = sim->context;
	context->cpu = cpu;
	context->kind = kind;
	context->task = task;
	context->depth = context->outer ? context->outer->depth + 1 : 0;
	context->window_end_ns =
		context->outer ? context->outer->window_end_ns : sim->now_ns + INTERLEAVE_WINDOW_NS;
	context->nr_inserts = context->nr_moved = 0;
	cpu->nr_contexts++;
	sim->context = context;
}

static void leave(struct sim *sim, struct context *context)
{
	context->cpu->nr_contexts--;
	sim->context = context->outer;
}

/* A callback that may be missing. */
#define CALL(sim, cpu, kind, task, callback, ...)                                                  \
	do {                                                                                       \
		struct context _context;                                                           \
		if (!(sim)->policy->callback)                                                      \
			break;                                                                     \
		enter((sim), &_context, (cpu), (kind), (task));                                    \
		(sim)->policy->callback((sim), ##__VA_ARGS__);                                     \
		leave((sim), &_context);                                                           \
	} while (0)

__s32 call_select_cpu(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 wake_flags)
{
	struct context context;
	__s32 cpu;

	enter(sim, &context, here, CALLBACK_SELECT, p);
	cpu = sim->policy->select_cpu(sim, p, p->view.cpu, wake_flags);
	leave(sim, &context);
	return cpu;
}

void call_enqueue(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 enq_flags)
{
	CALL(sim, here, CALLBACK_ENQUEUE, p, enqueue, p, enq_flags);
}

/* How many tasks it moved; 0 means that asking again is no use. */
__u32 call_dispatch(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev)
{
	struct context context;

	enter(sim, &context, cpu, CALLBACK_DISPATCH, NULL);
	sim->policy->dispatch(sim, cpu->id, prev);
	leave(sim, &context);
	return context.nr_moved + flush_inserts(sim, &context);
}

void call_runnable(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 enq_flags)
{
	CALL(sim, here, CALLBACK_OTHER, NULL, runnable, p, enq_flags);
}

void call_running(struct sim *sim, struct sim_cpu *here, struct sim_task *p)
{
	CALL(sim, here, CALLBACK_OTHER, NULL, running, p);
}

void call_stopping(struct sim *sim, struct sim_cpu *here, struct sim_task *p, bool runnable)
{
	CALL(sim, here, CALLBACK_OTHER, NULL, stopping, p, runnable);
}

void call_quiescent(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 deq_flags)
{
	CALL(sim, here, CALLBACK_OTHER, NULL, quiescent, p, deq_flags);
}

void call_tick(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p)
{
	CALL(sim, cpu, CALLBACK_OTHER, NULL, tick, p);
}

void call_update_idle(struct sim *sim, struct sim_cpu *cpu, bool idle)
{
	CALL(sim, cpu, CALLBACK_OTHER, NULL, update_idle, cpu->id, idle);
}

void call_exit_task(struct sim *sim, struct sim_cpu *here, struct sim_task *p)
{
	CALL(sim, here, CALLBACK_OTHER, NULL, exit_task, p);
}

void call_hotplug(struct sim *sim, struct sim_cpu *cpu, bool online)
{
	if (online)
		CALL(sim, cpu, CALLBACK_OTHER, NULL, cpu_online, cpu->id);
	else
		CALL(sim, cpu, CALLBACK_OTHER, NULL, cpu_offline, cpu->id);
}

void call_timer(struct sim *sim)
{
	sim->timer_pending = false;
	CALL(sim, any_online_cpu(sim), CALLBACK_OTHER, NULL, timer);
}

int call_init_task(struct sim *sim, struct sim_cpu *here, struct sim_task *p)
{
	struct context context;
	int r;

	if (!sim->policy->init_task)
		return 0;
	enter(sim, &context, here, CALLBACK_OTHER, NULL);
	r = sim->policy->init_task(sim, p);
	leave(sim, &context);
	return r;
}

int call_init(struct sim *sim)
{
	struct context context;
	int r;

	if (!sim->policy->init)
		return 0;
	enter(sim, &context, any_online_cpu(sim), CALLBACK_OTHER, NULL);
	context.depth = INTERLEAVE_DEPTH; /* nothing else happens yet */
	r = sim->policy->init(sim);
	leave(sim, &context);
	return r;
}
