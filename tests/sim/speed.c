/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/*
 * How fast tasks make progress: capacity of the CPU x clock by active cores x share of a core
 * whose other threads are busy. Progress is counted when somebody looks or a speed changes.
 */

static bool sibling_is_busy(const struct sim *sim, const struct sim_cpu *cpu)
{
	for (__s32 i = sim->machine->topology.cpus[cpu->id].sibling; i != cpu->id;
	     i = sim->machine->topology.cpus[i].sibling)
		if (sim->cpus[i].running)
			return true;
	return false;
}

static __u32 speed_of(const struct sim *sim, const struct sim_cpu *cpu)
{
	__u64 share = SPEED_ONE, speed;

	if (!sim->options.no_smt_sharing && cpu->curr->spec.smt_share && sibling_is_busy(sim, cpu))
		share = cpu->curr->spec.smt_share;
	speed = share * sim->machine->capacity[cpu->id] * cpu->clock / SPEED_ONE / SPEED_ONE;
	return speed ?: 1;
}

/* Count what was done since the last time. */
void cpu_update(struct sim *sim, struct sim_cpu *cpu)
{
	__u64 delta_ns = sim->now_ns - cpu->updated_ns, spent, done;
	struct sim_task *p = cpu->curr;

	cpu->updated_ns = sim->now_ns;
	if (!cpu->running || !delta_ns)
		return;
	spent = delta_ns < cpu->overhead_ns ? delta_ns : cpu->overhead_ns;
	cpu->overhead_ns -= spent;
	delta_ns -= spent; /* mostly before it was switched to, so not on its account */
	p->view.sum_exec_ns += delta_ns;
	if (p->view.slice_ns != SLICE_INF)
		p->view.slice_ns -= delta_ns < p->view.slice_ns ? delta_ns : p->view.slice_ns;
	done = delta_ns * cpu->speed;
	spent = done < p->refill ? done : p->refill;
	p->refill -= spent;
	done -= spent;
	p->work -= done < p->work ? done : p->work;
}

/* When will the step be done? An event that comes too early looks, and asks again. */
void cpu_predict(struct sim *sim, struct sim_cpu *cpu)
{
	__u64 work = cpu->curr->refill + cpu->curr->work;
	__u64 need_ns = cpu->overhead_ns + (work + cpu->speed - 1) / cpu->speed;

	if (cpu->step_at_ns && cpu->step_at_ns <= sim->now_ns + need_ns)
		return;
	cpu->step_at_ns = sim->now_ns + need_ns;
	sim_push(sim,
		 (struct work){ .kind = WORK_STEP,
				.cpu = cpu->id,
				.where = cpu->id,
				.generation = ++cpu->step_generation },
		 need_ns);
}

static void set_speed(struct sim *sim, struct sim_cpu *cpu)
{
	if (!cpu->running)
		return;
	cpu_update(sim, cpu);
	cpu->speed = speed_of(sim, cpu);
	cpu_predict(sim, cpu);
}

/* The other threads of the core become slower or faster, and the clock may follow. */
static void core_changed(struct sim *sim, struct sim_cpu *cpu, int active)
{
	bool alone = true;

	for (__s32 i = sim->machine->topology.cpus[cpu->id].sibling; i != cpu->id;
	     i = sim->machine->topology.cpus[i].sibling) {
		alone = alone && !sim->cpus[i].running;
		set_speed(sim, cpu_of(sim, i));
	}
	if (!alone)
		return;
	sim->nr_active_cores += active;
	clock_ask(sim);
}

void cpu_start_running(struct sim *sim, struct sim_cpu *cpu)
{
	cpu->updated_ns = sim->now_ns;
	cpu->running = true;
	cpu->speed = speed_of(sim, cpu);
	cpu->step_at_ns = 0;
	cpu_predict(sim, cpu);
	core_changed(sim, cpu, 1);
}

void cpu_stop_running(struct sim *sim, struct sim_cpu *cpu)
{
	cpu_update(sim, cpu);
	cpu->running = false;
	cpu->step_at_ns = 0;
	cpu->step_generation++;
	core_changed(sim, cpu, -1);
}

/* Time that the CPU needs for the kernel, before its task goes on. */
void cpu_charge(struct sim_cpu *cpu, __u64 cost_ns)
{
	cpu->overhead_ns += cost_ns;
}

void cpu_clock_changed(struct sim *sim, struct sim_cpu *cpu, __u32 clock)
{
	if (cpu->clock == clock)
		return;
	if (cpu->running)
		cpu_update(sim, cpu);
	cpu->clock = clock;
	OBSERVE(sim, EVENT_SPEED, .cpu = cpu->id, .speed = clock);
	set_speed(sim, cpu);
}
