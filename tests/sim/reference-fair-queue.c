/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/reference-fair.h"

/*
 * Earliest eligible virtual deadline first: a task may run if it got no more than its part so far,
 * that is if its virtual time is not beyond the mean; of those, the earliest deadline runs.
 */

static __s64 weight_of(const struct fair_task *task)
{
	return task_view(task->p)->weight;
}

/* Weighted mean of all in the queue, and their weight. */
static __s64 mean_of(struct sim *sim, __s32 cpu, __s64 *ret_weight)
{
	struct fair_queue *queue = fair_queue_of(sim, cpu);
	__s64 sum = 0, weight = 0;

	for (struct fair_task *t = queue->waiting.next; t != &queue->waiting; t = t->next) {
		sum += (t->vruntime - queue->vruntime) * weight_of(t);
		weight += weight_of(t);
	}
	if (queue->curr) {
		sum += (queue->curr->vruntime - queue->vruntime) * weight_of(queue->curr);
		weight += weight_of(queue->curr);
	}
	*ret_weight = weight;
	if (weight)
		queue->vruntime += sum / weight;
	return queue->vruntime;
}

static __s64 virtual_slice(const struct fair_task *task)
{
	return (__s64)FAIR_SLICE_NS * DONOR_WEIGHT_ONE / weight_of(task);
}

/* A newcomer's lag grows as the mean moves towards it, so it is stretched beforehand. */
void fair_place(struct sim *sim, struct fair_task *task, __s32 cpu)
{
	__s64 weight, mean = mean_of(sim, cpu, &weight);
	__s64 lag = task->vlag;

	if (weight)
		lag = lag * (weight + weight_of(task)) / weight;
	task->cpu = cpu;
	task->vruntime = mean - lag;
	task->deadline = task->vruntime + virtual_slice(task) / (task->forked ? 2 : 1);
	task->forked = false;
}

void fair_attach(struct sim *sim, struct fair_task *task)
{
	struct fair_queue *queue = fair_queue_of(sim, task->cpu);

	task->waiting = true;
	task->sent = false;
	task->prev = queue->waiting.prev;
	task->next = &queue->waiting;
	task->prev->next = task->next->prev = task;
	queue->nr_waiting++;
	fair_of(sim)->nr_waiting++;
}

void fair_detach(struct sim *sim, struct fair_task *task)
{
	if (!task->waiting)
		return;
	task->prev->next = task->next;
	task->next->prev = task->prev;
	task->waiting = false;
	fair_queue_of(sim, task->cpu)->nr_waiting--;
	if (!task->sent)
		fair_of(sim)->nr_waiting--;
	task->sent = false;
}

void fair_leave(struct sim *sim, struct fair_task *task)
{
	__s64 weight, most = 2 * virtual_slice(task);

	if (task->cpu < 0)
		return;
	task->vlag = mean_of(sim, task->cpu, &weight) - task->vruntime;
	if (task->vlag > most)
		task->vlag = most;
	if (task->vlag < -most)
		task->vlag = -most;
	fair_detach(sim, task);
	if (fair_queue_of(sim, task->cpu)->curr == task)
		fair_queue_of(sim, task->cpu)->curr = NULL;
	task->cpu = -1;
}

void fair_account(struct sim *sim, struct fair_task *task)
{
	__u64 ran_ns = task_view(task->p)->sum_exec_ns - task->exec_ns;

	task->exec_ns += ran_ns;
	task->vruntime += (__s64)ran_ns * DONOR_WEIGHT_ONE / weight_of(task);
	if (task->vruntime >= task->deadline)
		task->deadline = task->vruntime + virtual_slice(task);
}

bool fair_is_eligible(struct sim *sim, __s32 cpu, const struct fair_task *task)
{
	__s64 weight;

	return task->vruntime <= mean_of(sim, cpu, &weight);
}

static bool is_earlier(const struct fair_task *task, const struct fair_task *than)
{
	return !than || task->deadline < than->deadline;
}

/* If rounding leaves nobody eligible, whoever is furthest behind. */
struct fair_task *fair_pick(struct sim *sim, __s32 cpu, struct fair_task *curr)
{
	struct fair_queue *queue = fair_queue_of(sim, cpu);
	__s64 weight, mean = mean_of(sim, cpu, &weight);
	struct fair_task *best = NULL, *last = curr;

	if (curr && curr->vruntime <= mean)
		best = curr;
	for (struct fair_task *t = queue->waiting.next; t != &queue->waiting; t = t->next) {
		if (t->sent)
			continue;
		if (t->vruntime <= mean && is_earlier(t, best))
			best = t;
		if (!last || t->vruntime < last->vruntime)
			last = t;
	}
	return best ?: last;
}

__u64 fair_slice(const struct fair_task *task)
{
	__s64 left = (task->deadline - task->vruntime) * weight_of(task) / DONOR_WEIGHT_ONE;

	return left > 100000 ? (__u64)left : 100000;
}
