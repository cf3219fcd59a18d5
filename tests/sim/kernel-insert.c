/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* Inserts are recorded in the callback and carried out after it. */

static bool is_local(__u64 dsq)
{
	return dsq == SIM_DSQ_LOCAL || (dsq & SIM_DSQ_LOCAL_ON) == SIM_DSQ_LOCAL_ON;
}

static bool may_insert(struct sim *sim, const struct insert *insert)
{
	const struct context *context = sim->context;
	const struct sim_task *p = insert->task;

	if (insert->by_vtime && insert->dsq >> 63)
		sim_eject(sim, "cannot use vtime ordering for built-in DSQs");
	else if (!dsq_find(sim, insert->dsq, 0))
		sim_eject(sim, "non-existent DSQ 0x%llx for %s[%d]",
			  (unsigned long long)insert->dsq, p->name, p->view.pid);
	else if (!context || context->kind == CALLBACK_OTHER)
		sim_eject(sim, "insert of %s[%d] from a callback that may not", p->name,
			  p->view.pid);
	else if (context->kind == CALLBACK_DISPATCH)
		return true;
	else if (p != context->task)
		sim_eject(sim, "scheduling for %s[%d] but trying to direct-dispatch %s[%d]",
			  context->task->name, context->task->view.pid, p->name, p->view.pid);
	else if (p->insert.dsq != DSQ_INVALID)
		sim_eject(sim, "%s[%d] already direct-dispatched", p->name, p->view.pid);
	return !sim->error;
}

static void record(struct sim *sim, const struct insert *insert, __u64 slice_ns)
{
	struct context *context = sim->context;
	struct sim_task *p = insert->task;

	if (!may_insert(sim, insert))
		return;
	if (context->kind != CALLBACK_DISPATCH) {
		p->insert = *insert;
	} else if (context->nr_inserts < MAX_INSERTS) {
		context->inserts[context->nr_inserts++] = *insert;
	} else {
		sim_eject(sim, "dispatch buffer overflow");
		return;
	}
	p->view.slice_ns = slice_ns ?: SIM_SLICE_DEFAULT;
}

void kernel_insert(struct sim *sim, struct sim_task *p, __u64 dsq, __u64 slice_ns, __u64 enq_flags)
{
	struct insert insert = { .task = p, .dsq = dsq, .enq_flags = enq_flags };

	kernel_yield(sim);
	record(sim, &insert, slice_ns);
}

void kernel_insert_vtime(struct sim *sim, struct sim_task *p, __u64 dsq, __u64 slice_ns,
			 __u64 vtime, __u64 enq_flags)
{
	struct insert insert = {
		.task = p,
		.dsq = dsq,
		.vtime = vtime,
		.by_vtime = true,
		.enq_flags = enq_flags,
	};

	kernel_yield(sim);
	record(sim, &insert, slice_ns);
}

/* Into the queue of those that will run on the CPU, whose lock is held. */
void local_insert(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p, __u64 enq_flags)
{
	struct insert insert = { .task = p, .enq_flags = enq_flags };

	p->view.cpu = cpu->id;
	dsq_insert(sim, &cpu->local, &insert);
	if (!(enq_flags & SIM_ENQ_PREEMPT) || cpu->curr == p)
		return;
	if (cpu->curr && cpu->curr->view.sched_class != CLASS_FAIR)
		return;
	if (cpu->curr) {
		cpu_update(sim, cpu);
		cpu->curr->view.slice_ns = 0;
	}
	cpu_resched(sim, cpu, sim->context ? sim->context->cpu : cpu);
}

static bool check_target(struct sim *sim, const struct sim_task *p, const struct sim_cpu *cpu)
{
	if (task_may_run(sim, p, cpu->id))
		return true;
	sim_eject(sim, "target CPU %d %s for %s[%d]", cpu->id,
		  cpu->online ? "not allowed" : "offline", p->name, p->view.pid);
	return false;
}

/* The lock of the other run queue cannot be taken while that of this one is held. */
static void defer(struct sim *sim, const struct insert *insert, struct sim_cpu *cpu)
{
	struct sim_task *p = insert->task;

	p->insert = *insert; /* keeps the flags */
	p->deferred_to = cpu->id;
	cpu->nr_coming++;
	sim_push(sim,
		 (struct work){ .kind = WORK_DEFERRED,
				.task = p,
				.cpu = cpu->id,
				.where = -1,
				.generation = ++p->deferred_generation },
		 LATENCY_DEFERRED_NS);
}

static void insert_remote(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p, __u64 enq_flags)
{
	local_insert(sim, cpu, p, enq_flags);
	if (REMOTE_INSERT_WAKES && cpu->idle)
		cpu_resched(sim, cpu, NULL);
}

void finish_deferred(struct sim *sim, struct sim_task *p, struct sim_cpu *cpu)
{
	struct insert insert = p->insert;

	cpu->nr_coming--;
	p->deferred_to = -1;
	p->insert.dsq = DSQ_INVALID;
	if (!cpu->online)
		dsq_insert(sim, &sim->global, &insert);
	else if (check_target(sim, p, cpu))
		insert_remote(sim, cpu, p, insert.enq_flags);
}

void cancel_deferred(struct sim *sim, struct sim_task *p)
{
	if (p->deferred_to < 0)
		return;
	cpu_of(sim, p->deferred_to)->nr_coming--;
	p->deferred_to = -1;
	p->deferred_generation++;
}

/* After select_cpu and enqueue. */
void finish_insert(struct sim *sim, const struct insert *insert, struct sim_cpu *here)
{
	struct sim_task *p = insert->task;
	struct dsq *dsq = dsq_find(sim, insert->dsq, p->view.cpu);

	if (!is_local(insert->dsq)) {
		cpu_charge(here, lock_cost_ns(sim, dsq, here));
		dsq_insert(sim, dsq, insert);
	} else if (dsq->cpu == p->view.cpu) {
		local_insert(sim, cpu_of(sim, dsq->cpu), p, insert->enq_flags);
	} else if (check_target(sim, p, cpu_of(sim, dsq->cpu))) {
		defer(sim, insert, cpu_of(sim, dsq->cpu));
	}
}

/* In dispatch: of a task that the policy kept to itself since enqueue. */
static bool finish_dispatched(struct sim *sim, const struct insert *insert, struct sim_cpu *here)
{
	struct sim_task *p = insert->task;
	struct dsq *dsq = dsq_find(sim, insert->dsq, here->id);
	struct sim_cpu *cpu;

	if (!p->in_custody)
		return false; /* the kernel says nothing: it may have slept meanwhile */
	p->in_custody = false;
	if (!is_local(insert->dsq)) {
		cpu_charge(here, lock_cost_ns(sim, dsq, here));
		dsq_insert(sim, dsq, insert);
		return true;
	}
	cpu = cpu_of(sim, dsq->cpu);
	cpu_charge(here, p->view.cpu == cpu->id ? COST_MOVE_LOCAL_NS : COST_MOVE_REMOTE_NS);
	if (!check_target(sim, p, cpu))
		return false;
	if (cpu == here)
		local_insert(sim, cpu, p, insert->enq_flags);
	else if (cpu->locked)
		defer(sim, insert, cpu);
	else
		insert_remote(sim, cpu, p, insert->enq_flags);
	return true;
}

__u32 flush_inserts(struct sim *sim, struct context *context)
{
	__u32 nr = 0;

	for (__u32 i = 0; i < context->nr_inserts; i++)
		nr += finish_dispatched(sim, &context->inserts[i], context->cpu);
	context->nr_inserts = 0;
	return nr;
}

bool kernel_move_to_local(struct sim *sim, __u64 id)
{
	struct context *context = sim->context;
	struct dsq *dsq;

	kernel_yield(sim);
	if (!context || context->kind != CALLBACK_DISPATCH) {
		sim_eject(sim, "move_to_local outside of dispatch");
		return false;
	}
	dsq = dsq_find(sim, id, context->cpu->id);
	if (!dsq || is_local(id)) {
		sim_eject(sim, "move_to_local from DSQ 0x%llx", (unsigned long long)id);
		return false;
	}
	context->nr_moved += flush_inserts(sim, context);
	if (!dsq_move_to_local(sim, dsq, context->cpu))
		return false;
	context->nr_moved++;
	return true;
}
