/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>

#include "tests/sim/constants-lavd.h"
#include "tests/sim/reference-lavd.h"

/*
 * How much others wait for a task: it sleeps often, wakes others often, runs shortly. From that the
 * deadline by which it is queued. Boosts for what the model does not have are left out.
 */

static void average(__u64 *avg, __u64 sample)
{
	*avg = *avg - (*avg >> LAVD_AVERAGE_SHIFT) + (sample >> LAVD_AVERAGE_SHIFT);
}

static void average_frequency(__u64 *freq, __u64 interval_ns)
{
	average(freq, interval_ns ? 1000000000ULL / interval_ns : 1000000000ULL);
}

static __u64 log2_of(__u64 value)
{
	return value ? 64 - (__u64)__builtin_clzll(value) : 0;
}

/* A child begins as its parent is. */
int lavd_init_task(struct sim *sim, struct sim_task *p)
{
	struct sim_task *parent = kernel_current(sim);
	struct lavd_task *task = calloc(1, sizeof(*task));

	if (!task)
		return -ENOMEM;
	if (parent && parent != p && task_policy_data(parent))
		*task = *(struct lavd_task *)task_policy_data(parent);
	task->exec_ns = task->run_ns = 0;
	task->queued = task->woken = task->sync = false;
	task->chosen = -1;
	task->served_ns = lavd_of(sim)->served_avg_ns;
	task_set_policy_data(p, task);
	return 0;
}

static void learn_from_wakeup(struct sim *sim, struct lavd_task *task, struct sim_task *by)
{
	struct lavd_task *waker = by ? task_policy_data(by) : NULL;
	__u64 interval_ns;

	if (!waker || waker == task)
		return;
	interval_ns = sim_now_ns(sim) - waker->woken_ns;
	if (interval_ns >= 500000)
		average_frequency(&waker->wake_freq, interval_ns);
	task->lat_cri_waker = waker->lat_cri;
	if (task->lat_cri > waker->lat_cri_wakee)
		waker->lat_cri_wakee = task->lat_cri;
}

void lavd_runnable(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	struct lavd_task *task = task_policy_data(p);

	task->woken = enq_flags & SIM_ENQ_WAKEUP;
	if (!task->woken)
		return;
	task->run_ns = 0;
	learn_from_wakeup(sim, task, kernel_current(sim));
	task->woken_ns = sim_now_ns(sim);
}

static void account(struct sim_task *p)
{
	struct lavd_task *task = task_policy_data(p);
	__u64 ran_ns = task_view(p)->sum_exec_ns - task->exec_ns;

	task->exec_ns += ran_ns;
	task->run_ns += ran_ns;
	task->served_ns += ran_ns * DONOR_WEIGHT_ONE / task_view(p)->weight;
}

void lavd_running(struct sim *sim, struct sim_task *p)
{
	struct lavd *lavd = lavd_of(sim);
	struct lavd_task *task = task_policy_data(p);

	if (task->queued) {
		task->queued = false;
		lavd->nr_queued--;
		if (task->deadline_ns > lavd->clock_ns)
			lavd->clock_ns +=
				(task->deadline_ns - lavd->clock_ns) / (lavd->nr_queued ?: 1);
	}
	task_set_slice(sim, p, lavd_slice(sim, p));
}

void lavd_exhausted(struct lavd_task *task, bool exhausted)
{
	if (exhausted && task->nr_exhausted < LAVD_SLICE_BOOST_STEPS)
		task->nr_exhausted++;
	else if (!exhausted && task->nr_exhausted)
		task->nr_exhausted--;
}

void lavd_stopping(struct sim *sim, struct sim_task *p, bool runnable)
{
	struct lavd *lavd = lavd_of(sim);
	struct lavd_task *task = task_policy_data(p);

	account(p);
	average(&task->avg_run_ns, task->run_ns);
	lavd_exhausted(task, task_view(p)->slice_ns == 0);
	lavd->served_sum_ns += task->served_ns;
	lavd->served_nr++;
}

void lavd_quiescent(struct sim *sim, struct sim_task *p, __u64 deq_flags)
{
	struct lavd *lavd = lavd_of(sim);
	struct lavd_task *task = task_policy_data(p);
	__u64 now_ns = sim_now_ns(sim);

	if (task->queued)
		lavd->nr_queued--;
	task->queued = false;
	if (!(deq_flags & SIM_DEQ_SLEEP))
		return;
	average_frequency(&task->wait_freq, now_ns - task->slept_ns);
	task->slept_ns = now_ns;
}

static __u64 boosts(const struct sim *sim, const struct sim_task *p)
{
	const struct lavd_task *task = task_policy_data((struct sim_task *)p);
	const struct sim_task_view *view = task_view(p);
	__u64 boost = 1;

	boost += task->woken ? 128 : 0;
	boost += task->sync ? 128 : 0;
	boost += view->nr_allowed < sim_topology(sim)->nr_cpus ? 128 : 0;
	boost += view->kthread ? 256 : 0;
	boost += view->nr_allowed == 1 ? 256 : 0;
	return boost;
}

/* A quarter of its own at most comes from those it works for, and lasts for one turn. */
static __u64 inherit(struct lavd_task *task, __u64 own)
{
	__u64 given = task->lat_cri_waker + task->lat_cri_wakee, more = 0;

	if (given > 2 * own)
		more = (given - 2 * own) / 8;
	if (more > own / 4)
		more = own / 4;
	task->lat_cri_waker = task->lat_cri_wakee = 0;
	return own + more;
}

static void find_lat_cri(struct sim *sim, struct sim_task *p)
{
	struct lavd *lavd = lavd_of(sim);
	struct lavd_task *task = task_policy_data(p);
	__u64 wait = (task->wait_freq < 100000 ? task->wait_freq : 100000) + 1;
	__u64 wake = (task->wake_freq < 100000 ? task->wake_freq : 100000) + 1;
	__u64 shortness =
		task->avg_run_ns < 1000000000 ? (1000000000 - task->avg_run_ns) / 500000 + 1 : 1;
	__u64 root = log2_of(wait * wake) +
		     log2_of(shortness * (task_view(p)->weight * boosts(sim, p) + 1));

	task->lat_cri = inherit(task, root * root);
	lavd->lat_cri_sum += task->lat_cri;
	lavd->lat_cri_nr++;
}

static __u64 penalty(struct sim *sim, const struct sim_task *p)
{
	const struct lavd_task *task = task_policy_data((struct sim_task *)p);
	__s64 most = (__s64)LAVD_LAG_MAX_NS * DONOR_WEIGHT_ONE / task_view(p)->weight;
	__s64 lag = (__s64)(lavd_of(sim)->served_avg_ns - task->served_ns);

	if (lag > most)
		lag = most;
	if (lag < -most)
		lag = -most;
	return 1024 + (__u64)(((most - lag) * 1024 / most) >> 1);
}

__u64 lavd_deadline(struct sim *sim, struct sim_task *p)
{
	struct lavd *lavd = lavd_of(sim);
	struct lavd_task *task = task_policy_data(p);
	__u64 ran_ns = task->run_ns < LAVD_DELTA_NS ? task->run_ns : LAVD_DELTA_NS;
	__u64 delta_ns;

	find_lat_cri(sim, p);
	delta_ns = (LAVD_DELTA_NS + ran_ns) * penalty(sim, p) / task->lat_cri >> 10;
	task->deadline_ns = lavd->clock_ns + delta_ns;
	if (task->deadline_ns > LAVD_WINDOW_NS)
		task->deadline_ns -= LAVD_WINDOW_NS;
	return task->deadline_ns;
}

/* Who used up its slices in a row gets longer ones while CPUs are left. */
__u64 lavd_slice(struct sim *sim, const struct sim_task *p)
{
	struct lavd *lavd = lavd_of(sim);
	const struct lavd_task *task = task_policy_data((struct sim_task *)p);

	if (kernel_nr_queued(sim, REFERENCE_CPU + (__u64)task_view(p)->cpu) ||
	    lavd->nr_queued > lavd->reference.nr_cpus)
		return lavd->slice_ns;
	return lavd->slice_ns +
	       lavd->slice_ns * LAVD_SLICE_BOOST * task->nr_exhausted / LAVD_SLICE_BOOST_STEPS;
}
