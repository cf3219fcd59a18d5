/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks share and wait for each other at, as pthreads and MCE's bank queue have it. */

#include "tests/sim/session.h"

/* A write to a socket or pipe wakes the reader as one who is about to sleep. */
#define WAKE_MESSAGE (SIM_WAKE_TTWU | SIM_WAKE_SYNC)

static enum outcome wait_here(struct actor *actor, struct step *step)
{
	actor->is_waiting = true;
	step->kind = STEP_BLOCK;
	return OUTCOME_AGAIN;
}

static enum outcome join(struct waiters *waiters, struct actor *actor, struct step *step)
{
	actor->next_waiter = NULL;
	if (waiters->first)
		waiters->last->next_waiter = actor;
	else
		waiters->first = actor;
	waiters->last = actor;
	return wait_here(actor, step);
}

static struct actor *pop(struct waiters *waiters)
{
	struct actor *actor = waiters->first;

	if (actor)
		waiters->first = actor->next_waiter;
	return actor;
}

static void wake(struct actor *actor, const struct actor *waker, __u64 flags)
{
	actor->is_waiting = false;
	sim_wake(actor->session->sim, actor->self, waker->self, flags);
}

static void wake_first(struct waiters *waiters, const struct actor *waker)
{
	struct actor *actor = pop(waiters);

	if (actor)
		wake(actor, waker, SIM_WAKE_TTWU);
}

static void wake_all(struct waiters *waiters, const struct actor *waker)
{
	while (waiters->first)
		wake_first(waiters, waker);
}

/* ---- Mutex, condition, barrier ---- */

/* As pthreads do it: who was woken tries again, and somebody may have been faster. */
static enum outcome lock(struct actor *actor, struct resource *mutex, struct step *step)
{
	if (mutex->owner)
		return join(&mutex->waiters, actor, step);
	mutex->owner = actor;
	return OUTCOME_DONE;
}

static void unlock(struct actor *actor, struct resource *mutex)
{
	if (mutex->owner != actor) {
		sim_eject(actor->session->sim, "task '%s' unlocks '%s' without having locked it",
			  actor->task->name, mutex->script->name);
		return;
	}
	mutex->owner = NULL;
	wake_first(&mutex->waiters, actor);
}

/* Stages: 0 let go of the mutex and wait, 1 woken: get it back. */
static enum outcome wait_condition(struct actor *actor, struct resource *condition,
				   struct resource *mutex, struct step *step)
{
	if (actor->stage == 1)
		return lock(actor, mutex, step);
	actor->stage = 1;
	unlock(actor, mutex);
	return join(&condition->waiters, actor, step);
}

/* Stage 2: without the mutex, as rt-app's manual has it; sync takes and leaves it by itself. */
static enum outcome sync_condition(struct actor *actor, struct resource *condition,
				   struct resource *mutex, struct step *step)
{
	if (actor->stage == 2)
		return OUTCOME_DONE;
	if (actor->stage == 0)
		wake_first(&condition->waiters, actor);
	if (actor->stage == 1 || mutex->owner == actor)
		return wait_condition(actor, condition, mutex, step);
	actor->stage = 2;
	return join(&condition->waiters, actor, step);
}

static enum outcome suspend(struct actor *actor, struct resource *condition, struct step *step)
{
	if (actor->stage)
		return OUTCOME_DONE;
	actor->stage = 1;
	return join(&condition->waiters, actor, step);
}

static enum outcome barrier(struct actor *actor, struct resource *barrier, struct step *step)
{
	if (actor->stage)
		return OUTCOME_DONE;
	actor->stage = 1;
	if (++barrier->nr_arrived < barrier->nr_users)
		return join(&barrier->waiters, actor, step);
	barrier->nr_arrived = 0;
	wake_all(&barrier->waiters, actor);
	return OUTCOME_DONE;
}

/* ---- Bank queue: a server hands out numbered items, one at a time ---- */

static void poke_server(struct resource *queue, const struct actor *waker)
{
	if (queue->server)
		wake(queue->server, waker, WAKE_MESSAGE);
	queue->server = NULL;
}

static void become_taker(struct actor *actor, struct resource *queue)
{
	if (actor->queue == queue)
		return;
	actor_leave_queue(actor);
	actor->queue = queue;
	actor->channel = queue->nr_takers++;
	if (queue->channels)
		actor->channel %= queue->script->nr_channels;
}

void actor_leave_queue(struct actor *actor)
{
	struct resource *queue = actor->queue;

	if (!queue)
		return;
	queue->nr_leaving++;
	actor->queue = NULL;
	poke_server(queue, actor); /* it may be waiting for nobody but us */
}

/* A token goes from hand to hand: nobody can be faster. */
static bool get_channel(struct actor *actor, struct resource *queue)
{
	struct channel *channel = queue->channels ? &queue->channels[actor->channel] : NULL;

	if (channel && !channel->holder)
		channel->holder = actor;
	return !channel || channel->holder == actor;
}

static void release_channel(struct actor *actor, struct resource *queue)
{
	struct channel *channel = queue->channels ? &queue->channels[actor->channel] : NULL;

	if (!channel)
		return;
	channel->holder = pop(&channel->waiters);
	if (channel->holder)
		wake(channel->holder, actor, WAKE_MESSAGE);
}

static bool is_used_up(const struct resource *queue, const struct session *session)
{
	return !queue->nr_left && !session->background;
}

/* Stages: 0 get the channel and ask, 1 there is an answer. */
static enum outcome take(struct actor *actor, struct resource *queue, struct step *step)
{
	if (actor->stage == 0) {
		if (queue->is_closed)
			return OUTCOME_END;
		become_taker(actor, queue);
		if (!get_channel(actor, queue))
			return join(&queue->channels[actor->channel].waiters, actor, step);
		actor->stage = 1;
		poke_server(queue, actor);
		return join(&queue->waiters, actor, step);
	}
	release_channel(actor, queue);
	return actor->is_refused ? OUTCOME_END : OUTCOME_DONE;
}

static void answer(struct actor *server, struct resource *queue)
{
	struct actor *taker = pop(&queue->waiters);

	taker->is_refused = is_used_up(queue, server->session);
	if (!taker->is_refused) {
		queue->nr_left -= queue->nr_left > 0;
		actor_reseed(taker, queue->nr_handed_out++);
	}
	wake(taker, server, WAKE_MESSAGE);
}

static bool is_over(const struct resource *queue, const struct session *session)
{
	return is_used_up(queue, session) && queue->nr_takers == queue->nr_leaving;
}

static enum outcome serve_for(struct actor *actor, __u64 time_ns, __u32 next_stage,
			      struct step *step)
{
	actor->stage = next_stage;
	*step = (struct step){ .kind = STEP_RUN, .work_ns = actor_vary(actor, time_ns) ?: 1 };
	return OUTCOME_AGAIN;
}

/* Stages: 0 look for a request, 1 it has been worked on, 2 and all that follows. */
static enum outcome serve(struct actor *actor, const struct script_event *event,
			  struct resource *queue, struct step *step)
{
	if (actor->stage == 1) {
		answer(actor, queue);
		if (event->after_ns)
			return serve_for(actor, event->after_ns, 2, step);
	}
	actor->stage = 0;
	if (is_over(queue, actor->session)) {
		queue->is_closed = true;
		return OUTCOME_DONE;
	}
	if (!queue->waiters.first) {
		queue->server = actor;
		return wait_here(actor, step);
	}
	return serve_for(actor, event->time_ns, 1, step);
}

enum outcome carry_out_resource(struct actor *actor, const struct script_event *event,
				struct step *step)
{
	struct resource *resources = actor->session->resources;
	struct resource *resource = &resources[event->resource];

	if (actor->is_waiting) /* woken by somebody else: not yet */
		return wait_here(actor, step);
	switch (event->operation) {
	case OPERATION_LOCK:
		return lock(actor, resource, step);
	case OPERATION_UNLOCK:
		unlock(actor, resource);
		return OUTCOME_DONE;
	case OPERATION_WAIT:
		return wait_condition(actor, resource, &resources[event->mutex], step);
	case OPERATION_SYNC:
		return sync_condition(actor, resource, &resources[event->mutex], step);
	case OPERATION_SIGNAL:
		wake_first(&resource->waiters, actor);
		return OUTCOME_DONE;
	case OPERATION_BROAD:
	case OPERATION_RESUME:
		wake_all(&resource->waiters, actor);
		return OUTCOME_DONE;
	case OPERATION_SUSPEND:
		return suspend(actor, resource, step);
	case OPERATION_BARRIER:
		return barrier(actor, resource, step);
	case OPERATION_TAKE:
		return take(actor, resource, step);
	default:
		return serve(actor, event, resource, step);
	}
}
