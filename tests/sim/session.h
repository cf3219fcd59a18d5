/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/script.h"

/*
 * A workload as it runs: its tasks are actors who go through their script, and wait for each other
 * at what they share. Between program-script.c, which goes through the script, and
 * program-resources.c, which has the events at which a task may have to wait.
 */

struct actor;

/* First come, first served. An actor is in one list at most. */
struct waiters {
	struct actor *first;
	struct actor *last;
};

struct channel {
	struct actor *holder;
	struct waiters waiters;
};

struct timer_state {
	bool is_started;
	__u64 next_ns;
};

/* One of workload->resources; which members count depends on its kind. */
struct resource {
	const struct script_resource *script;
	struct waiters waiters; /* of a queue: requests */
	struct actor *owner; /* of a mutex */
	__u32 nr_users, nr_arrived; /* of a barrier */
	struct timer_state timer;
	/* Of a queue: */
	__u64 nr_left, nr_handed_out;
	__u32 nr_takers, nr_leaving; /* those who ever took, and those who will not ask again */
	struct actor *server; /* waits for requests */
	bool is_closed; /* it no longer does: who comes now gets nothing */
	struct channel *channels;
};

struct session {
	const struct workload *workload;
	struct sim *sim;
	__u32 scale;
	bool background;
	unsigned nr_actors; /* who keep the session alive */
	struct resource *resources;
};

struct actor {
	struct session *session;
	const struct script_task *task;
	struct sim_task *self; /* NULL until it runs for the first time */
	struct actor *next_waiter;
	bool is_waiting; /* in a list, or for something to be called by name */
	bool begins_anew;
	bool is_delayed;
	__u64 started_ns;
	__u64 identity; /* the same under each policy */
	__u64 random;
	__u32 nr_forked;
	__s32 loops_left;
	__u32 phase;
	__s32 phase_loops_left;
	__u32 event;
	unsigned stage; /* of the event; 0 when it begins */
	__u64 target_ns; /* of runtime */
	const struct script_settings *settings; /* that it has now */
	struct timer_state *timers; /* the unique ones */
	struct resource *queue; /* that it takes from */
	__u32 channel;
	bool is_refused; /* by the queue: there is no more */
};

enum outcome {
	OUTCOME_DONE, /* go on with the next event */
	OUTCOME_STEP, /* take the step, and then the next event */
	OUTCOME_AGAIN, /* take the step, and come back to this event */
	OUTCOME_END, /* the task ends */
};

/* The events that wait. Each has the next step in *step where the outcome has one. */
enum outcome carry_out_resource(struct actor *actor, const struct script_event *event,
				struct step *step);
void actor_leave_queue(struct actor *actor); /* it will not ask again */

/* What `work_ns` varies to, the same under each policy. */
__u64 actor_vary(struct actor *actor, __u64 work_ns);
void actor_reseed(struct actor *actor, __u64 number);
__u64 actor_mix(__u64 x); /* a number that looks random, the same for the same */

/* program-script.c */
extern const struct program_ops script_program;

/* session.c */
void actor_free(void *data);
int actor_fork(struct actor *parent, const struct script_task *task);
