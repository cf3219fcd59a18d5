/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>

#include "tests/sim/reference.h"

static int create_queues(struct sim *sim, const struct reference *r)
{
	int err = kernel_create_dsq(sim, REFERENCE_SHARED);

	for (__u32 cpu = 0; !err && cpu < r->nr_cpus; cpu++)
		err = kernel_create_dsq(sim, REFERENCE_CPU + cpu);
	for (__u32 d = 0; !err && d < r->nr_domains; d++)
		err = kernel_create_dsq(sim, REFERENCE_DOMAIN + d);
	return err;
}

int reference_init(struct sim *sim, size_t size)
{
	const struct donor_topology *t = sim_topology(sim);
	struct reference *r = calloc(1, size);

	if (!r)
		return -ENOMEM;
	sim_set_policy_data(sim, r);
	r->nr_cpus = t->nr_cpus;
	r->nr_domains = t->nr_domains;
	for (__u32 cpu = 0; cpu < t->nr_cpus; cpu++) {
		if (t->cpus[cpu].domain == DONOR_NONE)
			continue;
		CPU_SET(cpu, &r->all);
		CPU_SET(cpu, &r->domains[t->cpus[cpu].domain]);
	}
	return create_queues(sim, r);
}

int reference_init_plain(struct sim *sim)
{
	return reference_init(sim, sizeof(struct reference));
}

void reference_exit(struct sim *sim)
{
	free(sim_policy_data(sim));
	sim_set_policy_data(sim, NULL);
}

int reference_init_task(struct sim *sim, struct sim_task *p)
{
	struct reference *r = sim_policy_data(sim);
	struct reference_task *task = calloc(1, sizeof(*task));

	if (!task)
		return -ENOMEM;
	task->vtime_ns = r->vtime_ns;
	task_set_policy_data(p, task);
	return 0;
}

void reference_running(struct sim *sim, struct sim_task *p)
{
	struct reference *r = sim_policy_data(sim);
	struct reference_task *task = task_policy_data(p);

	task->exec_ns = task_view(p)->sum_exec_ns;
	if (task->vtime_ns > r->vtime_ns)
		r->vtime_ns = task->vtime_ns;
}

void reference_stopping(struct sim *sim, struct sim_task *p, bool runnable)
{
	struct reference_task *task = task_policy_data(p);
	__u64 ran_ns = task_view(p)->sum_exec_ns - task->exec_ns;

	task->exec_ns += ran_ns;
	task->vtime_ns += ran_ns * DONOR_WEIGHT_ONE / task_view(p)->weight;
}

__u64 reference_vtime(struct sim *sim, struct sim_task *p)
{
	struct reference *r = sim_policy_data(sim);
	struct reference_task *task = task_policy_data(p);

	if (task->vtime_ns + REFERENCE_SLICE_NS < r->vtime_ns)
		task->vtime_ns = r->vtime_ns - REFERENCE_SLICE_NS;
	return task->vtime_ns;
}
