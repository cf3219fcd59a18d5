/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* What comes by itself: ticks, kicks, the policy's timer, the watchdog. */

enum {
	KICK_PLAIN = 1 << 8, /* neither IDLE nor PREEMPT */
};

/* Idle CPUs have no tick. Each CPU has its own phase. */
void cpu_start_tick(struct sim *sim, struct sim_cpu *cpu)
{
	__u64 period_ns = 1000000000 / sim->options.hz;
	__u64 phase_ns = (sim->now_ns + period_ns - cpu->tick_skew_ns) % period_ns;

	if (cpu->tick_pending)
		return;
	cpu->tick_pending = true;
	sim_push(sim, (struct work){ .kind = WORK_TICK, .cpu = cpu->id, .where = cpu->id },
		 period_ns - phase_ns);
}

void cpu_tick(struct sim *sim, struct sim_cpu *cpu)
{
	struct sim_task *curr = cpu->curr;

	cpu->tick_pending = false;
	if (!curr)
		return;
	cpu_update(sim, cpu);
	cpu_charge(cpu, COST_TICK_NS);
	cpu_start_tick(sim, cpu);
	if (curr->view.sched_class != CLASS_FAIR)
		return;
	cpu->locked = true;
	call_tick(sim, cpu, curr);
	cpu->locked = false;
	if (!curr->view.slice_ns)
		cpu_schedule(sim, cpu);
}

void kernel_kick_cpu(struct sim *sim, __s32 id, __u64 kick_flags)
{
	__s32 here;
	struct sim_cpu *cpu;

	kernel_yield(sim);
	here = kernel_this_cpu(sim);
	if (id < 0 || id >= (__s32)sim->topology->nr_cpus || !sim->cpus[id].exists) {
		sim_eject(sim, "kick of invalid CPU %d", id);
		return;
	}
	if (kick_flags == (SIM_KICK_IDLE | SIM_KICK_PREEMPT)) {
		sim_eject(sim, "PREEMPT cannot be used with IDLE");
		return;
	}
	cpu = cpu_of(sim, id);
	cpu->kick_flags |= kick_flags ?: KICK_PLAIN;
	if (cpu->kick_pending)
		return;
	cpu->kick_pending = true;
	sim_push(sim, (struct work){ .kind = WORK_KICK, .cpu = id, .where = here },
		 id == here ? LATENCY_SELF_NS : LATENCY_IPI_NS);
}

void cpu_kicked(struct sim *sim, struct sim_cpu *cpu)
{
	struct sim_task *curr = cpu->curr;
	__u64 flags = cpu->kick_flags;

	cpu->kick_pending = false;
	cpu->kick_flags = 0;
	if (!cpu->online || (curr && curr->view.sched_class != CLASS_FAIR))
		return;
	if (!cpu->idle && !(flags & (SIM_KICK_PREEMPT | KICK_PLAIN)))
		return;
	OBSERVE(sim, EVENT_KICK, .cpu = cpu->id);
	if (curr && (flags & SIM_KICK_PREEMPT)) {
		cpu_update(sim, cpu);
		curr->view.slice_ns = 0;
	}
	cpu_resched(sim, cpu, cpu);
}

void kernel_start_timer(struct sim *sim, __u64 delay_ns)
{
	sim->timer_pending = true;
	sim_push(sim,
		 (struct work){ .kind = WORK_TIMER,
				.where = any_online_cpu(sim)->id,
				.generation = ++sim->timer_generation },
		 delay_ns);
}

void watchdog_start(struct sim *sim)
{
	if (sim->options.watchdog_ns)
		sim_push(sim, (struct work){ .kind = WORK_WATCHDOG, .where = -1 },
			 sim->options.watchdog_ns / 2);
}

void watchdog_look(struct sim *sim)
{
	__u64 waited_ns;

	for (struct sim_task *p = sim->tasks; p; p = p->next) {
		if (!p->view.queued || p->view.running || p->view.sched_class != CLASS_FAIR)
			continue;
		waited_ns = sim->now_ns - p->runnable_ns;
		if (waited_ns > sim->options.watchdog_ns)
			sim_eject(sim, "watchdog: %s[%d] failed to run for %llu.%03llus", p->name,
				  p->view.pid, (unsigned long long)waited_ns / 1000000000,
				  (unsigned long long)waited_ns / 1000000 % 1000);
	}
	watchdog_start(sim);
}
