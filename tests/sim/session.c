/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts the tasks of a workload, and those that they fork; ends the session with the last. */

#include <errno.h>
#include <stdlib.h>

#include "tests/sim/session.h"

__u64 actor_mix(__u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static void session_release(struct session *session)
{
	if (--session->nr_actors)
		return;
	for (__u32 i = 0; i < session->workload->nr_resources; i++)
		free(session->resources[i].channels);
	free(session->resources);
	free(session);
}

void actor_free(void *data)
{
	struct actor *actor = data;

	session_release(actor->session);
	free(actor->timers);
	free(actor);
}

/* The lowest place that no living task has: whoever pins by hand counts through. */
static __s32 free_bind_index(struct sim *sim)
{
	struct sim_task *task = NULL;
	cpu_set_t taken;
	__s32 index = 0;

	CPU_ZERO(&taken);
	while ((task = sim_next_task(sim, task))) {
		__s32 used = task_spec(task)->bind_index;

		if (used >= 0 && used < CPU_SETSIZE && !task_view(task)->exiting)
			CPU_SET((size_t)used, &taken);
	}
	while (index < CPU_SETSIZE - 1 && CPU_ISSET((size_t)index, &taken))
		index++;
	return index;
}

static struct actor *actor_new(struct session *session, const struct script_task *task,
			       __u64 identity)
{
	struct actor *actor = calloc(1, sizeof(*actor));

	if (!actor)
		return NULL;
	actor->timers = calloc(session->workload->nr_resources ?: 1, sizeof(*actor->timers));
	if (!actor->timers) {
		free(actor);
		return NULL;
	}
	actor->session = session;
	actor->task = task;
	actor->settings = &task->settings;
	actor->identity = identity;
	actor_reseed(actor, identity);
	session->nr_actors++;
	return actor;
}

static int spawn(struct actor *actor, struct sim_task *parent)
{
	const struct script_task *task = actor->task;
	struct session *session = actor->session;
	struct task_spec spec = {
		.name = task->name,
		.program = &script_program,
		.data = actor,
		.sched_class = task->sched_class,
		.nice = task->settings.nice,
		.smt_share = task->smt_share,
		.footprint_kb = task->footprint_kb,
		.bind_index = task->bind ? free_bind_index(session->sim) : -1,
		.background = session->background ||
			      (workload_ends(session->workload) && !script_task_ends(task)),
		.restricted = task->settings.restricted,
		.allowed = task->settings.allowed,
		.born_on = -1,
	};

	if (sim_spawn(session->sim, parent, &spec))
		return 0;
	actor_free(actor);
	return -ENOMEM;
}

int actor_fork(struct actor *parent, const struct script_task *task)
{
	struct actor *child =
		actor_new(parent->session, task,
			  actor_mix(parent->identity ^ actor_mix(++parent->nr_forked)));

	return child ? spawn(child, parent->self) : -ENOMEM;
}

static __u32 nr_instances(const struct script_task *task, const struct sim *sim)
{
	const struct donor_topology *t = sim_topology(sim);
	__u32 nr_cpus = 0, nr;

	if (task->instances_per_cpu == 0)
		return task->nr_instances;
	for (__u32 i = 0; i < t->nr_domains; i++)
		nr_cpus += t->domains[i].nr_cpus;
	nr = (__u32)(task->instances_per_cpu * nr_cpus + 0.5);
	return nr ?: 1;
}

static int start_task(struct session *session, const struct script_task *task)
{
	__u32 index = (__u32)(task - session->workload->tasks);
	__u32 nr = nr_instances(task, session->sim);

	for (__u32 i = 0; i < nr; i++) {
		struct actor *actor = actor_new(session, task, actor_mix(actor_mix(index) ^ i));
		int r;

		if (!actor)
			return -ENOMEM;
		actor->begins_anew = session->background;
		r = spawn(actor, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

static void count_barrier_users(struct session *session, const struct script_task *task)
{
	for (__u32 i = 0; i < task->nr_phases; i++)
		for (__u32 j = 0; j < task->phases[i].nr_events; j++)
			if (task->phases[i].events[j].operation == OPERATION_BARRIER)
				session->resources[task->phases[i].events[j].resource].nr_users +=
					nr_instances(task, session->sim);
}

static int init_resource(struct session *session, struct resource *resource,
			 const struct script_resource *script)
{
	resource->script = script;
	if (script->kind != RESOURCE_QUEUE)
		return 0;
	resource->nr_left = script->nr_items / session->scale ?: 1;
	if (!script->nr_channels)
		return 0;
	resource->channels = calloc(script->nr_channels, sizeof(*resource->channels));
	return resource->channels ? 0 : -ENOMEM;
}

static int start_all(struct session *session)
{
	const struct workload *w = session->workload;
	int r = 0;

	session->resources = calloc(w->nr_resources ?: 1, sizeof(*session->resources));
	if (!session->resources)
		return -ENOMEM;
	for (__u32 i = 0; i < w->nr_resources && !r; i++)
		r = init_resource(session, &session->resources[i], &w->resources[i]);
	for (__u32 i = 0; i < w->nr_tasks && !r; i++)
		count_barrier_users(session, &w->tasks[i]);
	for (__u32 i = 0; i < w->nr_tasks && !r; i++)
		r = start_task(session, &w->tasks[i]);
	return r;
}

static bool can_be_met(const struct script_settings *settings, const struct donor_topology *t)
{
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		if (t->cpus[cpu].domain != DONOR_NONE && CPU_ISSET(cpu, &settings->allowed))
			return true;
	return !settings->restricted;
}

static bool task_fits(const struct script_task *task, const struct donor_topology *t)
{
	for (__u32 i = 0; i < task->nr_phases; i++)
		if (!can_be_met(&task->phases[i].settings, t))
			return false;
	return can_be_met(&task->settings, t);
}

bool workload_fits(const struct workload *workload, const struct donor_topology *topology)
{
	for (__u32 i = 0; i < workload->nr_tasks; i++)
		if (!task_fits(&workload->tasks[i], topology))
			return false;
	return true;
}

int script_start(const struct workload *workload, struct sim *sim, __u32 scale, bool background)
{
	struct session *session;
	int r;

	if (!workload_fits(workload, sim_topology(sim)))
		return -ENODEV;
	session = calloc(1, sizeof(*session));
	if (!session)
		return -ENOMEM;
	session->workload = workload;
	session->sim = sim;
	session->scale = scale ?: 1;
	session->background = background;
	session->nr_actors = 1; /* ourselves, until all are there */
	r = start_all(session);
	session_release(session);
	return r;
}
