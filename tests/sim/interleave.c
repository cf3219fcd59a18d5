/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/*
 * Callbacks are not atomic. At each call into the kernel another CPU may carry out what comes next
 * anyhow, if in the kernel it could get the locks for it while this callback holds its own: a
 * wakeup holds the lock of its task and then that of a run queue, all others that of a run queue.
 */
bool work_is_ready(const struct sim *sim, const struct work *work)
{
	const struct sim_cpu *cpu = &sim->cpus[work->cpu];

	if (work->where >= 0 && sim->cpus[work->where].nr_contexts)
		return false;
	switch (work->kind) {
	case WORK_CALL:
	case WORK_TIMER:
		return true;
	case WORK_WATCHDOG:
	case WORK_CLOCK:
	case WORK_HOTPLUG:
		return !sim->context;
	case WORK_TICK:
	case WORK_STEP:
	case WORK_SCHEDULE:
	case WORK_KICK:
		return !cpu->locked && !cpu->nr_contexts;
	case WORK_WAKE_TIMER:
	case WORK_SELECT:
		return !work->task->locked && work->task->on_cpu < 0;
	case WORK_ENQUEUE:
		return !cpu->locked;
	case WORK_DEFERRED:
		return !cpu->locked && !sim->cpus[work->task->view.cpu].locked;
	case WORK_CHANGE:
		return !work->task->locked && !sim->cpus[work->task->view.cpu].locked;
	}
	return false;
}

void kernel_yield(const struct sim *looks)
{
	struct sim *sim = (struct sim *)looks; /* who only looks is interrupted as well */
	struct context *context = sim->context;
	const struct work *first;
	struct work work;

	if (!sim->options.interleave || !context || context->depth >= INTERLEAVE_DEPTH)
		return;
	if (sim_random(sim, RANDOM_INTERLEAVE) % INTERLEAVE_ONE_IN)
		return;
	first = heap_first(&sim->heap);
	if (!first || first->time_ns > context->window_end_ns || !work_is_ready(sim, first))
		return;
	work = heap_pop(&sim->heap);
	sim_carry_out(sim, &work);
}
