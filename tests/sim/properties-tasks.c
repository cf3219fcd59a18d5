/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>
#include <string.h>

#include "tests/sim/properties-parts.h"

/* P1 and P2: each task's place as the events tell it, step by step. */

static const char *const place_names[] = {
	[PLACE_ASLEEP] = "asleep",    [PLACE_POLICY] = "with the policy",
	[PLACE_QUEUE] = "in a queue", [PLACE_LOCAL] = "in the queue of a CPU",
	[PLACE_CPU] = "running",      [PLACE_GONE] = "gone",
};

/* Every task is asleep when it is heard of first. */
static struct property_task *add_task(struct properties *pr, struct sim_task *task, __u32 pid)
{
	struct property_task *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	*new = (struct property_task){ .task = task, .cpu = -1 };
	pr->tasks[pid] = new;
	return new;
}

struct property_task *properties_task_of(struct properties *pr, struct sim_task *task)
{
	__u32 pid = (__u32)task_view(task)->pid;
	struct property_task **tasks;

	if (task_view(task)->sched_class != CLASS_FAIR)
		return NULL;
	if (pid >= pr->nr_tasks) {
		tasks = reallocarray(pr->tasks, 2 * pid + 64, sizeof(*tasks));
		if (!tasks)
			return NULL;
		memset(tasks + pr->nr_tasks, 0, (2 * pid + 64 - pr->nr_tasks) * sizeof(*tasks));
		pr->tasks = tasks;
		pr->nr_tasks = 2 * pid + 64;
	}
	return pr->tasks[pid] ?: add_task(pr, task, pid);
}

static const char *name_of(const struct property_task *task)
{
	return task_spec(task->task)->name;
}

static bool may_be(struct properties *pr, const struct property_task *task, __s32 cpu)
{
	return cpu >= 0 && CPU_ISSET((size_t)cpu, task_allowed(task->task)) &&
	       cpu_is_online(pr->sim, cpu);
}

static void check_cpu(struct properties *pr, const struct property_task *task, __s32 cpu,
		      const char *what)
{
	if (!may_be(pr, task, cpu))
		properties_fail(pr, "P1: %s %d %s CPU %d, which it may not use or which is offline",
				name_of(task), task_view(task->task)->pid, what, cpu);
}

/* `from`: bits of the places where the task may come from. */
static void move(struct properties *pr, struct property_task *task, enum property_place to,
		 unsigned from)
{
	if (!(from & 1U << task->place))
		properties_fail(pr, "P2: %s %d is %s, and now at once %s", name_of(task),
				task_view(task->task)->pid, place_names[task->place],
				place_names[to]);
	task->place = to;
	if (to == PLACE_POLICY || to == PLACE_QUEUE || to == PLACE_LOCAL)
		properties_wait(pr, task);
	else
		properties_wait_over(pr, task);
}

static void see_inserted(struct properties *pr, struct property_task *task,
			 const struct sim_event *event)
{
	unsigned from = 1 << PLACE_POLICY | 1 << PLACE_QUEUE;
	bool local = event->dsq >= SIM_DSQ_LOCAL;

	if (local)
		check_cpu(pr, task, event->cpu, "goes into the queue of");
	move(pr, task, local ? PLACE_LOCAL : PLACE_QUEUE, from);
	task->cpu = local ? event->cpu : -1;
}

void properties_see_task(struct properties *pr, struct property_task *task,
			 const struct sim_event *event)
{
	const unsigned waiting = 1 << PLACE_POLICY | 1 << PLACE_QUEUE | 1 << PLACE_LOCAL;

	switch (event->kind) {
	case EVENT_WAKE:
		return move(pr, task, PLACE_POLICY, 1 << PLACE_ASLEEP);
	case EVENT_REQUEUED:
		return move(pr, task, PLACE_POLICY, waiting);
	case EVENT_INSERTED:
		return see_inserted(pr, task, event);
	case EVENT_RUN:
		check_cpu(pr, task, event->cpu, "runs on");
		move(pr, task, PLACE_CPU, waiting);
		task->cpu = event->cpu;
		return;
	case EVENT_STOP:
		return move(pr, task, event->runnable ? PLACE_POLICY : PLACE_ASLEEP, 1 << PLACE_CPU);
	case EVENT_EXIT:
		return move(pr, task, PLACE_GONE, 1 << PLACE_ASLEEP | 1 << PLACE_CPU);
	default:
		return;
	}
}

static void compare(struct properties *pr, const struct property_task *task)
{
	const struct sim_task_view *view = task_view(task->task);
	bool runnable = task->place != PLACE_ASLEEP && task->place != PLACE_GONE;
	bool waking = task->place == PLACE_POLICY; /* the kernel may be half way through it */

	if (view->running != (task->place == PLACE_CPU) || (view->queued != runnable && !waking))
		properties_fail(pr, "P2: %s %d is %s, and the kernel takes it for %s",
				name_of(task), view->pid, place_names[task->place],
				view->running  ? "running"
				: view->queued ? "waiting"
					       : "asleep");
}

/* Those that live already when the checks begin. */
void properties_look_at_tasks(struct properties *pr)
{
	for (struct sim_task *t = sim_next_task(pr->sim, NULL); t; t = sim_next_task(pr->sim, t)) {
		struct property_task *task = properties_task_of(pr, t);

		if (task && task_view(t)->running)
			move(pr, task, PLACE_CPU, 1 << PLACE_ASLEEP);
		else if (task && task_view(t)->queued)
			move(pr, task, PLACE_POLICY, 1 << PLACE_ASLEEP);
	}
}

/* No task is in no place, none in two: as many hang in local queues as the CPUs count. */
void properties_compare_tasks(struct properties *pr)
{
	__u32 nr_local[DONOR_MAX_CPUS] = {};

	for (struct sim_task *t = sim_next_task(pr->sim, NULL); t; t = sim_next_task(pr->sim, t)) {
		struct property_task *task = properties_task_of(pr, t);

		if (!task || task_view(t)->exiting)
			continue;
		compare(pr, task);
		if (task->place == PLACE_LOCAL && task->cpu >= 0)
			nr_local[task->cpu]++;
	}
	for (__s32 cpu = 0; cpu < (__s32)pr->nr_cpus; cpu++)
		if (nr_local[cpu] != cpu_nr_local(pr->sim, cpu))
			properties_fail(pr, "P2: the queue of CPU %d holds %u, and %u went there",
					cpu, cpu_nr_local(pr->sim, cpu), nr_local[cpu]);
}

void properties_free_tasks(struct properties *pr)
{
	for (__u32 pid = 0; pid < pr->nr_tasks; pid++)
		free(pr->tasks[pid]);
	free(pr->tasks);
}
