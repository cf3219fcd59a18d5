/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/kernel.h"

/* CPUs come and go. Only between two other events: the kernel has all CPUs wait for it. */

static bool is_last(const struct sim *sim, const struct sim_cpu *last)
{
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (sim->cpus[i].online && &sim->cpus[i] != last)
			return false;
	return true;
}

/* What it runs and what it would run next go elsewhere, one by one. */
static void push_away(struct sim *sim, struct sim_cpu *cpu)
{
	struct sim_task *p;

	while ((p = dsq_first(&cpu->local)))
		task_requeue_on(sim, p, any_online_cpu(sim), task_fallback_cpu(sim, p));
	while ((p = cpu->rt_first))
		task_requeue_on(sim, p, any_online_cpu(sim), task_fallback_cpu(sim, p));
}

static void go_offline(struct sim *sim, struct sim_cpu *cpu)
{
	struct sim_task *curr = cpu->curr;

	cpu->online = false;
	cpu->schedule_pending = false;
	if (cpu->idle)
		idle_leave(sim, cpu);
	idle_clear_bit(sim, cpu);
	call_hotplug(sim, cpu, false);
	cpu_update(sim, cpu);
	if (curr)
		cpu_evict(sim, cpu, curr);
	push_away(sim, cpu);
	cpu->overhead_ns = 0;
	OBSERVE(sim, EVENT_OFFLINE, .cpu = cpu->id);
}

static void go_online(struct sim *sim, struct sim_cpu *cpu)
{
	cpu->online = true;
	call_hotplug(sim, cpu, true);
	OBSERVE(sim, EVENT_ONLINE, .cpu = cpu->id);
	cpu_schedule(sim, cpu);
}

void cpu_hotplug(struct sim *sim, struct sim_cpu *cpu, bool online)
{
	if (cpu->online == online || !cpu->exists)
		return;
	if (online)
		go_online(sim, cpu);
	else if (!is_last(sim, cpu))
		go_offline(sim, cpu);
}
