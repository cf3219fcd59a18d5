/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* The clock of the machine: with fewer active cores it is higher. Nominal is that of all cores. */

static __u32 step_of(const struct sim *sim)
{
	const struct sim_machine *machine = sim->machine;
	__u32 i = 0;

	while (i + 1 < machine->nr_frequencies &&
	       sim->nr_active_cores > machine->frequency[i].nr_cores)
		i++;
	return i;
}

static __u32 clock_of(const struct sim *sim, const struct sim_cpu *cpu)
{
	const struct sim_machine *machine = sim->machine;
	__u64 clock = SPEED_ONE;

	if (machine->nr_frequencies)
		clock = clock * machine->frequency[sim->clock_step].mhz /
			machine->frequency[machine->nr_frequencies - 1].mhz;
	return clock * cpu->perf / SPEED_ONE;
}

static void set_all(struct sim *sim)
{
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (sim->cpus[i].exists)
			cpu_clock_changed(sim, cpu_of(sim, i), clock_of(sim, cpu_of(sim, i)));
}

void clock_init(struct sim *sim)
{
	sim->clock_step = step_of(sim);
	set_all(sim);
}

static void ask(struct sim *sim)
{
	if (sim->clock_pending)
		return;
	sim->clock_pending = true;
	sim_push(sim, (struct work){ .kind = WORK_CLOCK, .where = -1 },
		 CLOCK_STEP_NS - sim->now_ns % CLOCK_STEP_NS);
}

void clock_ask(struct sim *sim)
{
	if (step_of(sim) != sim->clock_step)
		ask(sim);
}

void clock_follow(struct sim *sim)
{
	sim->clock_pending = false;
	sim->clock_step = step_of(sim);
	set_all(sim);
}

void kernel_set_cpuperf(struct sim *sim, __s32 cpu, __u32 perf)
{
	kernel_yield(sim);
	if (cpu < 0 || cpu >= (__s32)sim->topology->nr_cpus || perf > SPEED_ONE) {
		sim_eject(sim, "cpuperf of CPU %d to %u", cpu, perf);
		return;
	}
	sim->cpus[cpu].perf = perf < CLOCK_LEAST ? CLOCK_LEAST : perf;
	ask(sim);
}
