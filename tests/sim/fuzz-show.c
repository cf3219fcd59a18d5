/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>

#include "tests/sim/fuzz.h"
#include "tests/sim/policy-donor.h"

/* What the bytes mean, for who has an input that fails. */

static const char *const event_names[] = {
	[EVENT_WAKE] = "wake",	     [EVENT_REQUEUED] = "requeued", [EVENT_INSERTED] = "inserted",
	[EVENT_RUN] = "run",	     [EVENT_STOP] = "stop",	    [EVENT_IDLE] = "idle",
	[EVENT_BUSY] = "busy",	     [EVENT_CLAIM] = "claim",	    [EVENT_KICK] = "kick",
	[EVENT_DONATE] = "donate",   [EVENT_EXIT] = "exit",	    [EVENT_ONLINE] = "online",
	[EVENT_OFFLINE] = "offline",
};

static void show_event(struct sim *sim, const struct sim_event *event, void *data)
{
	if (event->kind >= sizeof(event_names) / sizeof(event_names[0]) || !event_names[event->kind])
		return;
	fprintf(stderr, "%10.3f us %-9s CPU %2d", (double)sim_now_ns(sim) / 1000,
		event_names[event->kind], event->cpu);
	if (event->kind == EVENT_INSERTED)
		fprintf(stderr, " queue %llx", event->dsq);
	if (event->task)
		fprintf(stderr, " %s %d of %u CPUs", task_spec(event->task)->name,
			task_view(event->task)->pid, task_view(event->task)->nr_allowed);
	fputc('\n', stderr);
}

static void show_params(const struct donor_params *params)
{
#define KNOB(name, ...) fprintf(stderr, "%s=%llu ", #name, params->name);
#include "bpf/knobs.def"
#undef KNOB
	fputc('\n', stderr);
}

void fuzz_show(struct fuzz *fuzz)
{
	const struct donor_topology *t = &fuzz->machine->topology;

	for (__u32 i = 0; i < t->nr_domains; i++)
		fprintf(stderr, "domain %u: %u CPUs, %u cores, kind %u, cache %u, node %u\n", i,
			t->domains[i].nr_cpus, t->domains[i].nr_cores, t->domains[i].kind,
			t->domains[i].cache, t->domains[i].node);
	for (struct sim_task *p = NULL; (p = sim_next_task(fuzz->sim, p));)
		fprintf(stderr, "task %d: %s, weight %u, %u CPUs\n", task_view(p)->pid,
			task_spec(p)->name, task_view(p)->weight, task_view(p)->nr_allowed);
	show_params(&fuzz->params);
	sim_observe(fuzz->sim, show_event, NULL);
}
