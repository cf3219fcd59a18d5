/* SPDX-License-Identifier: GPL-2.0-only */
/* Goes through the script of a task: loops, phases, events that wait for nobody. */

#include <string.h>

#include "tests/sim/session.h"

enum {
	MOST_EVENTS_AT_ONCE = 100000, /* without time passing: the script goes round in circles */
	RUNTIME_GRAIN_NS = 10000,
};

/* ---- Variation: a number per task and draw, so that all policies get the same work ---- */

void actor_reseed(struct actor *actor, __u64 number)
{
	actor->random = actor_mix(actor_mix(number) ^ sim_get_options(actor->session->sim)->seed);
}

__u64 actor_vary(struct actor *actor, __u64 work_ns)
{
	const __u64 steps = 1 << 20;
	double share;

	if (!actor->task->jitter_pct)
		return work_ns;
	actor->random = actor_mix(actor->random);
	share = (double)(actor->random % (2 * steps + 1)) / (double)steps - 1; /* -1 to 1 */
	return (__u64)((double)work_ns * (1 + share * actor->task->jitter_pct / 100) + 0.5);
}

/* ---- Where it stands ---- */

static __s32 nr_loops(const struct actor *actor)
{
	__u32 scale = actor->session->scale;

	if (actor->task->loop <= 1 || scale <= 1)
		return actor->task->loop;
	return (__u32)actor->task->loop <= scale ? 1 : actor->task->loop / (__s32)scale;
}

static void apply_settings(struct actor *actor, const struct script_settings *settings)
{
	const struct script_settings *of_task = &actor->task->settings;
	struct sim *sim = actor->session->sim;

	if (settings->has_nice)
		sim_set_nice(sim, actor->self, settings->nice);
	if (!settings->restricted)
		settings = of_task;
	if (actor->settings == settings)
		return;
	actor->settings = settings;
	if (settings->restricted) {
		sim_set_allowed(sim, actor->self, &settings->allowed);
	} else {
		cpu_set_t all;

		memset(&all, 0xff, sizeof(all));
		sim_set_allowed(sim, actor->self, &all);
	}
}

static void enter_phase(struct actor *actor, __u32 phase)
{
	actor->phase = phase;
	actor->event = 0;
	if (phase == actor->task->nr_phases)
		return;
	actor->phase_loops_left = actor->task->phases[phase].loop;
	apply_settings(actor, &actor->task->phases[phase].settings);
}

static bool count_down(__s32 *loops_left)
{
	if (*loops_left > 0)
		--*loops_left;
	return *loops_left != 0;
}

static void begin(struct actor *actor)
{
	actor->loops_left = nr_loops(actor);
	actor->stage = 0;
	enter_phase(actor, 0);
}

/* The event to carry out now, or NULL at the end of the script. */
static const struct script_event *find_event(struct actor *actor)
{
	const struct script_task *task = actor->task;

	for (unsigned i = 0; i < MOST_EVENTS_AT_ONCE; i++) {
		const struct script_phase *phase = &task->phases[actor->phase];

		if (!actor->loops_left)
			return NULL;
		if (actor->phase == task->nr_phases) {
			if (count_down(&actor->loops_left))
				enter_phase(actor, 0);
		} else if (!actor->phase_loops_left) {
			enter_phase(actor, actor->phase + 1);
		} else if (actor->event < phase->nr_events) {
			return &phase->events[actor->event];
		} else {
			actor->event = 0;
			if (!count_down(&actor->phase_loops_left))
				enter_phase(actor, actor->phase + 1);
		}
	}
	return NULL;
}

/* ---- Events that do not wait for others ---- */

/* Time on a CPU, whatever that CPU gets done: ask for no more work than surely fits, and look. */
static enum outcome carry_out_runtime(struct actor *actor, const struct script_event *event,
				      struct step *step)
{
	const struct sim_machine *machine = sim_machine(actor->session->sim);
	const struct sim_task_view *view = task_view(actor->self);
	__u64 left_ns, work_ns;

	if (!actor->stage) {
		actor->stage = 1;
		actor->target_ns = view->sum_exec_ns + actor_vary(actor, event->time_ns);
	}
	if (view->sum_exec_ns >= actor->target_ns)
		return OUTCOME_DONE;
	left_ns = actor->target_ns - view->sum_exec_ns;
	work_ns = left_ns * machine->capacity[view->cpu] / 1024 * actor->task->smt_share / 1024;
	*step = (struct step){ .kind = STEP_RUN, .work_ns = work_ns ?: 1 };
	return left_ns <= RUNTIME_GRAIN_NS ? OUTCOME_STEP : OUTCOME_AGAIN;
}

static enum outcome carry_out_run(struct actor *actor, const struct script_event *event,
				  struct step *step)
{
	*step = (struct step){ .kind = STEP_RUN, .work_ns = actor_vary(actor, event->time_ns) };
	return step->work_ns ? OUTCOME_STEP : OUTCOME_DONE;
}

static enum outcome carry_out_sleep(struct actor *actor, const struct script_event *event,
				    struct step *step)
{
	*step = (struct step){ .kind = STEP_SLEEP,
			       .until_ns = sim_now_ns(actor->session->sim) + event->time_ns };
	return OUTCOME_STEP;
}

/* The end of a period: sleep to its deadline, or be late. */
static enum outcome carry_out_timer(struct actor *actor, const struct script_event *event,
				    struct step *step)
{
	struct resource *resource = &actor->session->resources[event->resource];
	struct timer_state *timer =
		resource->script->unique ? &actor->timers[event->resource] : &resource->timer;
	struct sim *sim = actor->session->sim;
	__u64 now_ns = sim_now_ns(sim);
	struct sim_event frame = { .kind = EVENT_FRAME,
				   .task = actor->self,
				   .cpu = task_view(actor->self)->cpu };

	if (!timer->is_started)
		*timer = (struct timer_state){ true, actor->started_ns };
	timer->next_ns += event->time_ns;
	frame.late_ns = now_ns > timer->next_ns ? now_ns - timer->next_ns : 0;
	sim_report(sim, &frame);
	*step = (struct step){ .kind = STEP_SLEEP, .until_ns = timer->next_ns };
	if (now_ns < timer->next_ns)
		return OUTCOME_STEP;
	if (!event->absolute)
		timer->next_ns = now_ns;
	return OUTCOME_DONE;
}

static enum outcome carry_out_fork(struct actor *actor, const struct script_event *event)
{
	const struct workload *w = actor->session->workload;

	if (actor_fork(actor, &w->tasks[event->resource]) < 0)
		sim_eject(actor->session->sim, "out of memory at a fork");
	return OUTCOME_DONE;
}

static enum outcome carry_out(struct actor *actor, const struct script_event *event,
			      struct step *step)
{
	switch (event->operation) {
	case OPERATION_RUN:
		return carry_out_run(actor, event, step);
	case OPERATION_RUNTIME:
		return carry_out_runtime(actor, event, step);
	case OPERATION_SLEEP:
		return carry_out_sleep(actor, event, step);
	case OPERATION_TIMER:
		return carry_out_timer(actor, event, step);
	case OPERATION_FORK:
		return carry_out_fork(actor, event);
	case OPERATION_YIELD:
		step->kind = STEP_YIELD;
		return OUTCOME_STEP;
	default:
		return carry_out_resource(actor, event, step);
	}
}

/* ---- The program ---- */

static struct step end(struct actor *actor)
{
	actor_leave_queue(actor);
	return (struct step){ .kind = STEP_EXIT };
}

static void finish_event(struct actor *actor)
{
	actor->event++;
	actor->stage = 0;
}

/* True if there is a step to take, else the script goes on. */
static bool advance(struct actor *actor, struct step *step)
{
	const struct script_event *event = find_event(actor);
	enum outcome outcome = OUTCOME_END;

	if (event)
		outcome = carry_out(actor, event, step);
	if (outcome == OUTCOME_END && actor->begins_anew) {
		begin(actor);
		return false;
	}
	if (outcome == OUTCOME_END)
		*step = end(actor);
	if (outcome == OUTCOME_DONE || outcome == OUTCOME_STEP)
		finish_event(actor);
	return outcome != OUTCOME_DONE;
}

static bool start_actor(struct actor *actor, struct sim_task *self, struct step *step)
{
	__u64 now_ns = sim_now_ns(actor->session->sim);

	actor->self = self;
	actor->started_ns = now_ns;
	if (actor->task->delay_ns && !actor->is_delayed) {
		actor->is_delayed = true;
		actor->self = NULL;
		*step = (struct step){ .kind = STEP_SLEEP,
				       .until_ns = now_ns + actor->task->delay_ns };
		return true;
	}
	begin(actor);
	return false;
}

static struct step script_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct actor *actor = data;
	struct step step = { .kind = STEP_EXIT };

	if (!actor->self && start_actor(actor, task, &step))
		return step;
	for (unsigned i = 0; i < MOST_EVENTS_AT_ONCE; i++)
		if (advance(actor, &step))
			return step;
	sim_eject(sim, "task '%s' goes round in circles; give its loop a run or a sleep",
		  actor->task->name);
	return (struct step){ .kind = STEP_EXIT };
}

const struct program_ops script_program = {
	.next = script_next,
	.free = actor_free,
};
