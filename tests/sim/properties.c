/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/properties-parts.h"

void properties_fail(struct properties *pr, const char *format, ...)
{
	char sentence[256];
	va_list args;

	if (pr->broken)
		return;
	pr->broken = true;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	sim_eject(pr->sim, "%s", sentence);
}

static void check_step(struct properties *pr)
{
	properties_check_claims(pr);
	properties_check_waits(pr);
	if (pr->options.every && ++pr->nr_steps % pr->options.every == 0)
		properties_compare_tasks(pr);
}

static void run_checks(struct properties *pr, const struct sim_event *event)
{
	for (__u32 i = 0; i < pr->nr_checks; i++) {
		const struct property_check *check = &pr->checks[i];
		const char *wrong = check->check(pr->sim, event, check->data);

		if (wrong)
			properties_fail(pr, "%s: %s", check->name, wrong);
	}
}

static void see(struct sim *sim, const struct sim_event *event, void *data)
{
	struct properties *pr = data;
	struct property_task *task;

	if (pr->broken)
		return;
	task = event->task ? properties_task_of(pr, event->task) : NULL;
	if (task)
		properties_see_task(pr, task, event);
	properties_see_cpu(pr, event);
	if (event->kind == EVENT_STEP)
		check_step(pr);
	run_checks(pr, event);
}

int properties_new(struct sim *sim, const struct properties_options *options,
		   struct properties **ret)
{
	struct properties *pr = calloc(1, sizeof(*pr));

	if (!pr)
		return -ENOMEM;
	pr->sim = sim;
	pr->options = *options;
	pr->waiting.prev = pr->waiting.next = &pr->waiting;
	properties_look_at_cpus(pr);
	properties_look_at_tasks(pr);
	sim_observe(sim, see, pr);
	*ret = pr;
	return 0;
}

struct properties *properties_free(struct properties *pr)
{
	if (!pr)
		return NULL;
	properties_free_tasks(pr);
	free(pr);
	return NULL;
}

int properties_add(struct properties *pr, const char *name,
		   const char *(*check)(struct sim *sim, const struct sim_event *event, void *data),
		   void *data)
{
	if (pr->nr_checks == PROPERTIES_MAX_CHECKS)
		return -ENOSPC;
	pr->checks[pr->nr_checks++] = (struct property_check){ name, check, data };
	return 0;
}
