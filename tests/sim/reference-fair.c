/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>

#include "tests/sim/policies.h"
#include "tests/sim/reference-fair.h"

/*
 * The kernel's own class, as far as a policy can play it: a queue per CPU picked by deadline among
 * the eligible, wakeups near the cache, pulling when idle and at ticks. Left out: groups, moving a
 * task while it runs, and the kernel's guesses at load; queues are compared by the weight in them.
 */

static void send(struct sim *sim, struct fair_task *task, __u64 dsq, __u64 enq_flags)
{
	if (!task->sent)
		fair_of(sim)->nr_waiting--;
	task->sent = true;
	kernel_insert(sim, task->p, dsq, fair_slice(task), enq_flags);
}

static void queue_anew(struct sim *sim, struct fair_task *task, __s32 cpu)
{
	fair_leave(sim, task);
	fair_place(sim, task, cpu);
	fair_attach(sim, task);
}

static __s32 fair_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	struct fair_task *task = task_policy_data(p);
	bool idle;
	__s32 cpu = fair_find_cpu(sim, p, prev, wake_flags, &idle);

	task->target = cpu;
	if (!idle || fair_queue_of(sim, cpu)->nr_waiting)
		return cpu;
	queue_anew(sim, task, cpu);
	send(sim, task, SIM_DSQ_LOCAL, 0);
	task->target = -1;
	return cpu;
}

/* An eligible task finishes its slice; one that is ahead of its part gives way at once. */
static bool should_preempt(struct sim *sim, struct fair_task *task, __s32 cpu)
{
	struct fair_task *curr = fair_queue_of(sim, cpu)->curr;

	if (!curr)
		return false;
	fair_account(sim, curr);
	return !fair_is_eligible(sim, cpu, curr) && fair_pick(sim, cpu, curr) == task;
}

/* Who comes off a CPU keeps its place in time; all others are placed anew. */
static void fair_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	struct fair_task *task = task_policy_data(p);
	__s32 cpu = task->target >= 0 ? task->target : task_view(p)->cpu;

	task->target = -1;
	if (!reference_may_use(p, cpu) || !cpu_is_online(sim, cpu))
		cpu = reference_first_allowed(sim, p);
	if (task->cpu == cpu && !task->waiting)
		fair_attach(sim, task);
	else
		queue_anew(sim, task, cpu);
	kernel_kick_cpu(sim, cpu, should_preempt(sim, task, cpu) ? SIM_KICK_PREEMPT : SIM_KICK_IDLE);
}

static void fair_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	struct fair *fair = fair_of(sim);
	struct fair_task *curr = prev && task_view(prev)->queued ? task_policy_data(prev) : NULL;
	struct fair_task *task;

	if (curr)
		fair_account(sim, curr);
	task = fair_pick(sim, cpu, curr);
	if (!task)
		task = fair_pull(sim, cpu, &fair->reference.domains[reference_domain_of(sim, cpu)]);
	if (!task)
		task = fair_pull(sim, cpu, &fair->reference.all);
	if (task && task == curr)
		task_set_slice(sim, prev, fair_slice(curr));
	else if (task)
		send(sim, task, SIM_DSQ_LOCAL, 0);
}

static void fair_running(struct sim *sim, struct sim_task *p)
{
	struct fair_task *task = task_policy_data(p);
	__s32 cpu = task_view(p)->cpu;

	if (task->cpu != cpu) {
		fair_leave(sim, task);
		fair_place(sim, task, cpu);
	}
	fair_detach(sim, task);
	fair_queue_of(sim, cpu)->curr = task;
	task->exec_ns = task_view(p)->sum_exec_ns;
}

static void fair_stopping(struct sim *sim, struct sim_task *p, bool runnable)
{
	struct fair_task *task = task_policy_data(p);
	struct fair_queue *queue = fair_queue_of(sim, task->cpu);

	fair_account(sim, task);
	if (!runnable)
		fair_leave(sim, task);
	else if (queue->curr == task)
		queue->curr = NULL;
}

static void fair_quiescent(struct sim *sim, struct sim_task *p, __u64 deq_flags)
{
	fair_leave(sim, task_policy_data(p));
}

static void fair_tick(struct sim *sim, struct sim_task *p)
{
	fair_account(sim, task_policy_data(p));
	fair_balance(sim, task_view(p)->cpu);
}

static int fair_init_task(struct sim *sim, struct sim_task *p)
{
	struct fair_task *task = calloc(1, sizeof(*task));

	if (!task)
		return -ENOMEM;
	*task = (struct fair_task){ .p = p, .cpu = -1, .target = -1, .forked = true };
	task_set_policy_data(p, task);
	return 0;
}

static void fair_exit_task(struct sim *sim, struct sim_task *p)
{
	if (sim_policy_data(sim) && task_policy_data(p))
		fair_leave(sim, task_policy_data(p));
}

/* Nobody else would find those who wait there. */
static void fair_cpu_offline(struct sim *sim, __s32 cpu)
{
	struct fair_queue *queue = fair_queue_of(sim, cpu);
	struct fair_task *next;

	for (struct fair_task *t = queue->waiting.next; t != &queue->waiting; t = next) {
		next = t->next;
		if (!t->sent && reference_first_allowed(sim, t->p) != cpu)
			queue_anew(sim, t, reference_first_allowed(sim, t->p));
	}
}

static int fair_init(struct sim *sim)
{
	int err = reference_init(sim, sizeof(struct fair));
	struct fair *fair = fair_of(sim);

	for (__u32 cpu = 0; !err && cpu < fair->reference.nr_cpus; cpu++) {
		struct fair_queue *queue = &fair->queues[cpu];

		queue->waiting.prev = queue->waiting.next = &queue->waiting;
	}
	return err;
}

const struct sim_policy policy_fair = {
	.name = "fair",
	.help = "like EEVDF: a queue per CPU by lag and deadline, wakeups near the cache, pulling",
	.select_cpu = fair_select_cpu,
	.enqueue = fair_enqueue,
	.dispatch = fair_dispatch,
	.running = fair_running,
	.stopping = fair_stopping,
	.quiescent = fair_quiescent,
	.tick = fair_tick,
	.init_task = fair_init_task,
	.exit_task = fair_exit_task,
	.cpu_offline = fair_cpu_offline,
	.init = fair_init,
	.exit = reference_exit,
};
