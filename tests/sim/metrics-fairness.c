/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>

#include "service/cleanup.h"
#include "tests/sim/metrics-parts.h"

/*
 * Jain's index, second by second, over the tasks that wanted to run all the time and may run
 * everywhere. What counts is CPU time over its fair part: what these tasks got together, divided
 * by weight, but nobody can use more than one CPU.
 */
struct competitor {
	double got_ns, weight, fair_ns;
};

__u64 metrics_exec_ns(const struct metrics_task *task, __u64 at_ns)
{
	if (!task->is_running || at_ns < task->runs_since_ns)
		return task->exec_ns;
	return task->exec_ns + (at_ns - task->runs_since_ns);
}

static bool competes(const struct metrics *m, const struct metrics_task *task)
{
	return task && task->wants_since_ns <= m->window_ns &&
	       task_view(task->task)->nr_allowed >= m->nr_usable;
}

/* Gives out `left_ns` by weight; who would get more than the window leaves the rest to others. */
static void share_out(struct competitor *list, unsigned nr, double left_ns, double most_ns)
{
	double weight = 0;
	bool again = true;

	for (unsigned i = 0; i < nr; i++)
		weight += list[i].weight;
	while (again && weight > 0) {
		double per_weight = left_ns / weight;

		again = false;
		for (unsigned i = 0; i < nr; i++) {
			if (list[i].fair_ns > 0 || list[i].weight * per_weight < most_ns)
				continue;
			list[i].fair_ns = most_ns;
			left_ns -= most_ns;
			weight -= list[i].weight;
			again = true;
		}
	}
	for (unsigned i = 0; i < nr; i++)
		if (list[i].fair_ns <= 0 && weight > 0)
			list[i].fair_ns = left_ns * list[i].weight / weight;
}

static double jain(struct competitor *list, unsigned nr, double window_ns)
{
	double all = 0, sum = 0, squares = 0;

	for (unsigned i = 0; i < nr; i++)
		all += list[i].got_ns;
	share_out(list, nr, all, window_ns);
	for (unsigned i = 0; i < nr; i++) {
		double share = list[i].fair_ns > 0 ? list[i].got_ns / list[i].fair_ns : 1;

		sum += share;
		squares += share * share;
	}
	return squares > 0 ? sum * sum / (nr * squares) : 1;
}

static unsigned count_tasks(const struct metrics *m)
{
	unsigned nr = 0;

	for (struct sim_task *t = sim_next_task(m->sim, NULL); t; t = sim_next_task(m->sim, t))
		nr++;
	return nr;
}

static void close_window(struct metrics *m, __u64 end_ns)
{
	_cleanup_(freep) struct competitor *list =
		calloc(count_tasks(m) + 1, sizeof(*list));
	unsigned nr = 0;

	for (struct sim_task *t = sim_next_task(m->sim, NULL); t; t = sim_next_task(m->sim, t)) {
		struct metrics_task *task = task_metrics_data(t);

		if (!task)
			continue;
		if (list && competes(m, task))
			list[nr++] = (struct competitor){
				.got_ns = (double)(metrics_exec_ns(task, end_ns) -
						   task->exec_window_ns),
				.weight = task_view(t)->weight,
			};
		task->exec_window_ns = metrics_exec_ns(task, end_ns);
	}
	if (nr > 1) {
		m->jain += jain(list, nr, (double)(end_ns - m->window_ns));
		m->nr_windows++;
	}
	m->window_ns = end_ns;
}

void metrics_fairness_sum(struct metrics *m, __u64 until_ns)
{
	while (until_ns >= m->window_ns + METRICS_WINDOW_NS)
		close_window(m, m->window_ns + METRICS_WINDOW_NS);
}

void metrics_fairness_finish(struct metrics *m)
{
	if (m->now_ns >= m->window_ns + METRICS_SHORTEST_WINDOW_NS)
		close_window(m, m->now_ns);
}
