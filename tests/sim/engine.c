/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* Without these the run would go on for ever and change nothing. */
static bool is_live(enum work_kind kind)
{
	return kind != WORK_TIMER && kind != WORK_WATCHDOG && kind != WORK_CLOCK &&
	       kind != WORK_TICK;
}

void sim_push(struct sim *sim, struct work work, __u64 delay_ns)
{
	work.time_ns = sim->now_ns + delay_ns;
	work.seq = ++sim->seq;
	if (heap_push(&sim->heap, &work) < 0)
		abort(); /* half a run is worth nothing */
	if (is_live(work.kind))
		sim->nr_live++;
}

static void init_cpus(struct sim *sim)
{
	const struct donor_topology *topology = sim->topology;
	struct sim_cpu *cpu;

	for (__u32 i = 0; i < topology->nr_cpus; i++) {
		cpu = cpu_of(sim, i);
		cpu->id = i;
		cpu->exists = cpu->online = topology->cpus[i].domain != DONOR_NONE;
		cpu->local = (struct dsq){ .id = SIM_DSQ_LOCAL_ON | i, .cpu = i };
		cpu->perf = SPEED_ONE;
		cpu->tick_skew_ns = sim_random(sim, RANDOM_KERNEL) % (1000000000 / sim->options.hz);
		if (cpu->exists)
			mask_set(&sim->existing_cpus, i);
	}
}

int sim_new(const struct sim_options *options, struct sim **ret)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return -ENOMEM;
	sim->options = *options;
	if (!sim->options.hz)
		sim->options.hz = 250;
	sim->policy = options->policy;
	sim->topology = options->topology;
	sim->machine = options->machine;
	sim->last_task = &sim->tasks;
	sim->actions = &sim->outside;
	sim->global = (struct dsq){ .id = SIM_DSQ_GLOBAL, .cpu = -1 };
	for (unsigned i = 0; i < _RANDOM_MAX; i++)
		random_seed(&sim->random[i], options->seed, i);
	sim->cpus = calloc(options->topology->nr_cpus, sizeof(*sim->cpus));
	if (!sim->cpus)
		return sim_free(sim), -ENOMEM;
	init_cpus(sim);
	*ret = sim;
	return 0;
}

struct sim *sim_free(struct sim *sim)
{
	if (!sim)
		return NULL;
	task_exit_all(sim);
	if (sim->started && sim->policy->exit)
		sim->policy->exit(sim); /* also after a failed init */
	task_free_all(sim);
	dsq_free_all(sim);
	heap_free(&sim->heap);
	free(sim->outside.actions);
	free(sim->cpus);
	free(sim->error);
	free(sim);
	return NULL;
}

static void start(struct sim *sim)
{
	sim->started = true;
	clock_init(sim);
	sim->fatal = call_init(sim);
	if (sim->fatal < 0)
		return;
	for (__u32 i = 0; i < sim->topology->nr_cpus; i++)
		if (sim->cpus[i].online)
			idle_enter(sim, cpu_of(sim, i));
	watchdog_start(sim);
}

/* The kinds of work that are about a CPU, and stale if it has made other plans since. */
static void carry_out_cpu(struct sim *sim, const struct work *work)
{
	struct sim_cpu *cpu = cpu_of(sim, work->cpu);

	if (work->kind == WORK_TICK) {
		cpu_tick(sim, cpu);
	} else if (work->kind == WORK_KICK) {
		cpu_kicked(sim, cpu);
	} else if (work->kind == WORK_STEP) {
		if (work->generation == cpu->step_generation)
			cpu_step(sim, cpu);
	} else if (work->generation == cpu->schedule_generation && cpu->schedule_pending) {
		cpu_schedule(sim, cpu);
	}
}

static void carry_out_task(struct sim *sim, const struct work *work)
{
	struct sim_task *p = work->task;
	struct sim_cpu *here = work->where >= 0 ? cpu_of(sim, work->where) : NULL;

	if (work->kind == WORK_WAKE_TIMER) {
		p->waits_for_time = false;
		p->view.by_interrupt = true;
		task_wake(sim, p, here, SIM_WAKE_TTWU);
	} else if (work->kind == WORK_SELECT) {
		task_select(sim, p, here);
	} else if (work->kind == WORK_ENQUEUE) {
		task_activate(sim, p, here);
	} else if (work->kind == WORK_CHANGE) {
		task_change(sim, p, here);
	} else if (work->generation == p->deferred_generation) {
		finish_deferred(sim, p, cpu_of(sim, work->cpu));
	}
}

void sim_carry_out(struct sim *sim, const struct work *work)
{
	sim->now_ns = work->time_ns > sim->now_ns ? work->time_ns : sim->now_ns;
	sim->nr_events++;
	if (is_live(work->kind))
		sim->nr_live--;
	switch (work->kind) {
	case WORK_CALL:
		sim_do_call(sim, work);
		break;
	case WORK_TIMER:
		if (work->generation == sim->timer_generation)
			call_timer(sim);
		break;
	case WORK_WATCHDOG:
		watchdog_look(sim);
		break;
	case WORK_CLOCK:
		clock_follow(sim);
		break;
	case WORK_HOTPLUG:
		cpu_hotplug(sim, cpu_of(sim, work->cpu), work->flags);
		break;
	case WORK_TICK:
	case WORK_STEP:
	case WORK_SCHEDULE:
	case WORK_KICK:
		carry_out_cpu(sim, work);
		break;
	default:
		carry_out_task(sim, work);
	}
}

static bool is_over(const struct sim *sim, __u64 until_ns)
{
	if (sim->nr_foreground)
		return false;
	if (sim->had_foreground)
		return true;
	return sim->nr_alive ? !until_ns : !sim->nr_live;
}

/* Nothing is on its way, and nobody is left who could change that. */
static bool is_stuck(const struct sim *sim)
{
	if (sim->nr_live)
		return false;
	return !sim->nr_runnable || (!sim->timer_pending && !sim->options.watchdog_ns);
}

static int run_on(struct sim *sim, __u64 until_ns)
{
	struct work work;

	while (!sim->error) {
		if (is_over(sim, until_ns))
			return 0;
		if (is_stuck(sim))
			return -EDEADLK;
		if (until_ns && heap_first(&sim->heap)->time_ns > until_ns) {
			sim->now_ns = until_ns;
			return -ETIMEDOUT;
		}
		work = heap_pop(&sim->heap);
		sim_carry_out(sim, &work);
		sim_empty_graves(sim);
		OBSERVE(sim, EVENT_STEP, .cpu = -1);
	}
	return -EPROTO;
}

int sim_run(struct sim *sim, __u64 until_ns)
{
	if (!sim->started)
		start(sim);
	if (sim->fatal < 0)
		return sim->fatal;
	sim_do_actions(sim, &sim->outside, NULL);
	return run_on(sim, until_ns);
}

void sim_eject(struct sim *sim, const char *format, ...)
{
	va_list args;

	if (sim->error)
		return; /* the first one is the cause */
	va_start(args, format);
	if (vasprintf(&sim->error, format, args) < 0)
		abort();
	va_end(args);
}

void sim_at(struct sim *sim, __u64 time_ns, void (*call)(struct sim *sim, void *data), void *data)
{
	sim_push(sim, (struct work){ .kind = WORK_CALL, .call = call, .data = data, .where = -1 },
		 time_ns > sim->now_ns ? time_ns - sim->now_ns : 0);
}
