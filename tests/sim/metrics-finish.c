/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>

#include "service/cleanup.h"
#include "tests/sim/metrics-parts.h"

/* From the sums to the figures of metrics.def. */

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void finish_wakeups(const struct metrics *m, struct metrics_result *ret)
{
	_cleanup_(freep) struct histogram *all = calloc(1, sizeof(*all));

	if (!all)
		return;
	for (__u32 i = 0; i < m->nr_rows; i++)
		histogram_merge(all, &m->rows[i].wakeups);
	ret->wakeup_p50_us = (double)histogram_percentile(all, 500000) / 1e3;
	ret->wakeup_p99_us = (double)histogram_percentile(all, 990000) / 1e3;
	ret->wakeup_p999_us = (double)histogram_percentile(all, 999000) / 1e3;
	ret->wakeup_max_us = (double)all->max / 1e3;
}

static void finish_frames(const struct metrics *m, struct metrics_result *ret)
{
	__u64 nr = 0, missed = 0;

	for (__u32 i = 0; i < m->nr_rows; i++) {
		nr += m->rows[i].nr_frames;
		missed += m->rows[i].nr_missed;
	}
	ret->missed_frames = ratio((double)missed, (double)nr);
}

static void finish_rates(const struct metrics *m, struct metrics_result *ret)
{
	double s = (double)m->now_ns / 1e9;

	ret->migrations_core = ratio((double)m->moves[0], s);
	ret->migrations_cache = ratio((double)m->moves[1], s);
	ret->migrations_node = ratio((double)m->moves[2], s);
	ret->migrations_remote = ratio((double)m->moves[3], s);
	ret->ping_pong = ratio((double)m->nr_ping_pong, s);
	ret->donations = ratio((double)m->nr_donations, s);
	ret->kicks = ratio((double)m->nr_kicks, s);
}

/* Running tasks and active cores have no last event. */
static void finish_tasks(struct metrics *m)
{
	for (__u32 cpu = 0; cpu < m->nr_cpus; cpu++) {
		struct metrics_task *task =
			m->cpus[cpu].task ? task_metrics_data(m->cpus[cpu].task) : NULL;

		metrics_energy_core_sum(m, m->cpus[cpu].core);
		if (!task)
			continue;
		m->rows[task->group].exec_ns += m->now_ns - task->runs_since_ns;
		task->exec_ns = metrics_exec_ns(task, m->now_ns);
		task->runs_since_ns = m->now_ns;
	}
}

void metrics_finish(struct metrics *m, struct metrics_result *ret)
{
	__u64 now_ns = sim_now_ns(m->sim);

	*ret = (struct metrics_result){};
	metrics_sum_until(m, now_ns);
	metrics_waits_finish(m);
	metrics_fairness_finish(m);
	finish_tasks(m);
	ret->makespan_s = (double)(m->ended_ns ?: now_ns) / 1e9;
	ret->shared_core_waste = ratio(m->waste_ns, m->run_ns);
	ret->shared_core_time = ratio(m->shared_ns, m->run_ns);
	ret->nr_violations = (double)m->nr_violations;
	ret->violation_max_us = (double)m->violation_max_ns / 1e3;
	ret->violation_total_us = (double)m->violation_total_ns / 1e3;
	ret->jain = m->nr_windows ? m->jain / (double)m->nr_windows : 1;
	ret->energy = m->energy;
	finish_wakeups(m, ret);
	finish_frames(m, ret);
	finish_rates(m, ret);
}
