/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "service/attachment-private.h"
#include "service/clock.h"
#include "service/copy-text.h"
#include "service/failure.h"
#include "service/topology.h"

void attachment_set_state(struct attachment *attachment, enum service_state state,
			  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	attachment->state = state;
	attachment->is_contested = false;
	(void)vsnprintf(attachment->reason, sizeof(attachment->reason), format, args);
	va_end(args);
}

void attachment_done(struct attachment *attachment)
{
	attachment->scheduler = scheduler_free(attachment->scheduler);
	free(attachment->dump);
	attachment->dump = NULL;
}

static int fail(struct attachment *attachment, const struct failure *failure)
{
	attachment->support = failure->support;
	attachment_set_state(attachment, failure->state, "%s", failure->reason);
	return failure->r;
}

static int check_support(struct attachment *attachment)
{
	struct failure failure;

	kernel_read(&attachment->kernel);
	failure = failure_of_kernel(&attachment->kernel);
	return failure.r < 0 ? fail(attachment, &failure) : 0;
}

void attachment_rest(struct attachment *attachment, enum service_state state, const char *reason)
{
	if (check_support(attachment) >= 0)
		attachment_set_state(attachment, state, "%s", reason);
}

int attachment_contend(struct attachment *attachment)
{
	const struct failure failure = failure_of_conflict(
		attachment->kernel.ops, attachment->rival_owner, attachment->waits);

	(void)fail(attachment, &failure);
	attachment->is_contested = true;
	return failure.r;
}

const char *attachment_rival(const struct attachment *attachment)
{
	return attachment->is_contested ? attachment->kernel.ops : "";
}

void attachment_name_owner(struct attachment *attachment, const char *unit)
{
	exit_copy_text(attachment->rival_owner, sizeof(attachment->rival_owner), unit);
	if (attachment_rival(attachment)[0])
		(void)attachment_contend(attachment);
}

int attachment_begin(struct attachment *attachment)
{
	int r;

	r = check_support(attachment);
	if (r < 0)
		return r;
	if (attachment->kernel.enabled)
		return attachment_contend(attachment);
	attachment_set_state(attachment, STATE_ATTACHING, "The scheduler is being loaded.");
	return 0;
}

int attachment_attach(struct attachment *attachment, const struct donor_params *params)
{
	struct scheduler_error error = {};
	struct donor_topology topology; /* read anew: CPUs come and go */
	struct failure failure;
	int r;

	r = topology_read(NULL, &topology);
	if (r < 0) {
		attachment->last_cause = EXIT_FAULT;
		failure = failure_of_topology(r);
		return fail(attachment, &failure);
	}
	topology.hotplug_seq = attachment->kernel.hotplug_seq;
	r = scheduler_attach(&topology, params, &attachment->scheduler, &error);
	kernel_read(&attachment->kernel);
	if (r == -EBUSY) /* it came between our look and our attach */
		return attachment_contend(attachment);
	if (r < 0) {
		/* The kernel does not take what was made for other CPUs. */
		attachment->last_cause = attachment->kernel.hotplug_seq == topology.hotplug_seq
						 ? EXIT_FAULT
						 : EXIT_RESTART;
		failure = failure_of_attach(r, error.text);
		return fail(attachment, &failure);
	}
	attachment->support = SUPPORT_OK;
	attachment->attached_since_us = now_us(CLOCK_MONOTONIC);
	attachment_set_state(attachment, STATE_ATTACHED, "The kernel runs donor.");
	return 0;
}

void attachment_status(const struct attachment *attachment, const struct wish *wish,
		       struct status *ret)
{
	const struct donor_params *effective =
		attachment->scheduler ? scheduler_params(attachment->scheduler) : NULL;
	const struct donor_params wished = wish_to_params(wish);

	*ret = (struct status){
		.support = attachment->support,
		.state = attachment->state,
		.mode = effective ? effective->mode : wished.mode,
		.last_exit = attachment->last_exit,
		.attached_since_us = attachment->attached_since_us,
	};
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		ret->donation[hook] = params_donation(&wished, hook);
		ret->effective[hook] = effective && params_donation(effective, hook);
	}
	exit_copy_text(ret->reason, sizeof(ret->reason), attachment->reason);
	exit_copy_text(ret->scheduler_name, sizeof(ret->scheduler_name), attachment->kernel.ops);
	exit_copy_text(ret->foreign, sizeof(ret->foreign),
		       attachment->scheduler ? "" : attachment->kernel.ops);
}
