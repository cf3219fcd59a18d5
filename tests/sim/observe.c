/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/kernel.h"

/* What others may see of a run, and of its CPUs. */

void sim_observe(struct sim *sim,
		 void (*see)(struct sim *sim, const struct sim_event *event, void *data),
		 void *data)
{
	if (sim->nr_observers < MAX_OBSERVERS)
		sim->observers[sim->nr_observers++] = (struct observer){ see, data };
	else
		sim_eject(sim, "more than %d observers", MAX_OBSERVERS);
}

void observe(struct sim *sim, const struct sim_event *event)
{
	for (__u32 i = 0; i < sim->nr_observers; i++)
		sim->observers[i].see(sim, event, sim->observers[i].data);
}

void sim_report(struct sim *sim, const struct sim_event *event)
{
	observe(sim, event);
}

__u64 sim_now_ns(const struct sim *sim)
{
	return sim->now_ns;
}

__u64 sim_random(struct sim *sim, enum sim_random_purpose purpose)
{
	return random_next(&sim->random[purpose]);
}

const struct donor_topology *sim_topology(const struct sim *sim)
{
	return sim->topology;
}

const struct sim_machine *sim_machine(const struct sim *sim)
{
	return sim->machine;
}

const struct sim_options *sim_get_options(const struct sim *sim)
{
	return &sim->options;
}

__u64 sim_nr_events(const struct sim *sim)
{
	return sim->nr_events;
}

const char *sim_error(const struct sim *sim)
{
	return sim->error;
}

void *sim_policy_data(struct sim *sim)
{
	return sim->policy_data;
}

void sim_set_policy_data(struct sim *sim, void *data)
{
	sim->policy_data = data;
}

bool cpu_is_online(const struct sim *sim, __s32 cpu)
{
	return sim->cpus[cpu].online;
}

bool cpu_is_idle(const struct sim *sim, __s32 cpu)
{
	return sim->cpus[cpu].idle;
}

bool cpu_kick_pending(const struct sim *sim, __s32 id)
{
	const struct sim_cpu *cpu = &sim->cpus[id];

	return cpu->kick_pending || cpu->schedule_pending || cpu->nr_coming;
}

__u32 cpu_nr_local(const struct sim *sim, __s32 cpu)
{
	return sim->cpus[cpu].local.tasks.nr;
}

struct sim_task *kernel_cpu_curr(const struct sim *sim, __s32 cpu)
{
	struct sim_task *curr = sim->cpus[cpu].curr;

	return curr && curr->view.sched_class == CLASS_FAIR ? curr : NULL;
}

__s32 kernel_this_cpu(const struct sim *sim)
{
	return sim->context ? sim->context->cpu->id : 0;
}

struct sim_task *kernel_current(const struct sim *sim)
{
	return sim->context ? sim->context->cpu->curr : NULL;
}
