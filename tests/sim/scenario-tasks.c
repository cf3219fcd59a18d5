/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>

#include "tests/sim/scenario.h"

/* What the tasks of scenarios do. */

struct job {
	__u64 work_ns, sleep_ns, period_ns;
	__u64 deadline_ns;
	struct sim_task *peer; /* to wake */
	__u32 wake_flags;
	bool ran;
};

static struct sim_task *spawn(struct sim *sim, const char *name, __s32 born_on,
			      const cpu_set_t *allowed, struct job job,
			      const struct program_ops *ops)
{
	struct job *data = malloc(sizeof(*data));
	struct task_spec spec = {
		.name = name,
		.program = ops,
		.data = data,
		.smt_share = 614, /* 0.6: two threads do 1.2 times the work of one */
		.footprint_kb = 256,
		.bind_index = -1,
		.born_on = born_on,
		.restricted = allowed,
	};

	if (!data)
		abort();
	if (allowed)
		spec.allowed = *allowed;
	*data = job;
	return sim_spawn(sim, NULL, &spec);
}

static struct step job_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct job *job = data;

	if (job->ran)
		return (struct step){ STEP_EXIT };
	job->ran = true;
	return (struct step){ STEP_RUN, .work_ns = job->work_ns };
}

static const struct program_ops job_ops = { .next = job_next, .free = free };

struct sim_task *scenario_job(struct sim *sim, const char *name, __s32 born_on, __u64 work_ns)
{
	return spawn(sim, name, born_on, NULL, (struct job){ .work_ns = work_ns }, &job_ops);
}

struct sim_task *scenario_hog(struct sim *sim, const char *name, __s32 born_on)
{
	return scenario_job(sim, name, born_on, 1000000000000);
}

static void report_frame(struct sim *sim, struct sim_task *task, __u64 deadline_ns)
{
	__u64 now_ns = sim_now_ns(sim);
	struct sim_event event = {
		.kind = EVENT_FRAME,
		.task = task,
		.cpu = task_view(task)->cpu,
		.late_ns = now_ns > deadline_ns ? now_ns - deadline_ns : 0,
	};

	sim_report(sim, &event);
}

static struct step periodic_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct job *job = data;

	if (job->ran) {
		__u64 begin_ns = job->deadline_ns;

		report_frame(sim, task, job->deadline_ns);
		if (job->peer)
			sim_wake(sim, job->peer, task, job->wake_flags);
		job->deadline_ns += job->period_ns;
		job->ran = false;
		return (struct step){ STEP_SLEEP, .until_ns = begin_ns };
	}
	if (!job->deadline_ns)
		job->deadline_ns = sim_now_ns(sim) + job->period_ns;
	job->ran = true;
	return (struct step){ STEP_RUN, .work_ns = job->work_ns };
}

static const struct program_ops periodic_ops = { .next = periodic_next, .free = free };

struct sim_task *scenario_periodic(struct sim *sim, const char *name, __u64 period_ns, __u64 work_ns)
{
	return spawn(sim, name, -1, NULL,
		     (struct job){ .work_ns = work_ns, .period_ns = period_ns }, &periodic_ops);
}

static struct step sleeper_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct job *job = data;

	job->ran = !job->ran;
	if (job->ran)
		return (struct step){ STEP_RUN, .work_ns = job->work_ns };
	return (struct step){ STEP_SLEEP, .until_ns = sim_now_ns(sim) + job->sleep_ns };
}

static const struct program_ops sleeper_ops = { .next = sleeper_next, .free = free };

struct sim_task *scenario_sleeper(struct sim *sim, const char *name, __u64 work_ns, __u64 sleep_ns,
				  const cpu_set_t *allowed)
{
	return spawn(sim, name, -1, allowed,
		     (struct job){ .work_ns = work_ns, .sleep_ns = sleep_ns }, &sleeper_ops);
}

/* Each does its work, wakes the other and waits for it. */
static struct step pair_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct job *job = data;

	job->ran = !job->ran;
	if (job->ran)
		return (struct step){ STEP_RUN, .work_ns = job->work_ns };
	if (job->peer)
		sim_wake(sim, job->peer, task, job->wake_flags);
	return (struct step){ STEP_BLOCK };
}

static const struct program_ops pair_ops = { .next = pair_next, .free = free };

void scenario_pair(struct sim *sim, const char *name, __u64 work_ns)
{
	struct job job = { .work_ns = work_ns, .wake_flags = SIM_WAKE_SYNC };
	struct sim_task *a = spawn(sim, name, -1, NULL, job, &pair_ops);

	job.peer = a;
	((struct job *)task_spec(a)->data)->peer = spawn(sim, name, -1, NULL, job, &pair_ops);
}

void scenario_chain(struct sim *sim, const char *name, __u64 period_ns, const __u64 *work_ns,
		    unsigned nr_links)
{
	struct sim_task *next = NULL;

	while (nr_links-- > 1)
		next = spawn(sim, name, -1, NULL,
			     (struct job){ .work_ns = work_ns[nr_links], .peer = next }, &pair_ops);
	spawn(sim, name, -1, NULL,
	      (struct job){ .work_ns = work_ns[0], .period_ns = period_ns, .peer = next },
	      &periodic_ops);
}
