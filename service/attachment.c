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
	attachment->loaded = scheduler_free(attachment->loaded);
	attachment->stale = scheduler_free(attachment->stale);
	free(attachment->dump);
	attachment->dump = NULL;
}

void attachment_release(struct attachment *attachment)
{
	attachment->scheduler = scheduler_release(attachment->scheduler);
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
	copy_text(attachment->rival_owner, sizeof(attachment->rival_owner), unit);
	if (attachment_rival(attachment)[0])
		(void)attachment_contend(attachment);
}

int attachment_begin(struct attachment *attachment)
{
	int r;

	r = check_support(attachment);
	if (r < 0)
		return r;
	if (attachment->kernel.enabled && !attachment->stale)
		return attachment_contend(attachment);
	attachment_set_state(attachment, STATE_ATTACHING, "The scheduler is being loaded.");
	return 0;
}

static int fail_topology(struct attachment *attachment, int r)
{
	const struct failure failure = failure_of_topology(r);

	attachment->last_cause = EXIT_FAULT;
	return fail(attachment, &failure);
}

/* The kernel does not take what was made for other CPUs than it has by now. */
static int fail_attach(struct attachment *attachment, int r, const struct scheduler_error *error)
{
	const struct failure failure = failure_of_attach(r, error->text);
	const uint64_t hotplug_seq = attachment->kernel.hotplug_seq;

	kernel_read(&attachment->kernel);
	if (r == -EBUSY) /* it came between our look and our attach */
		return attachment_contend(attachment);
	attachment->last_cause =
		attachment->kernel.hotplug_seq == hotplug_seq ? EXIT_FAULT : EXIT_RESTART;
	return fail(attachment, &failure);
}

/* What was loaded before fits unless CPUs came or went: the kernel would eject it at once. */
static int make_loaded(struct attachment *attachment)
{
	const uint64_t hotplug_seq = attachment->kernel.hotplug_seq;
	struct scheduler_error error = {};
	struct donor_topology topology; /* read anew: CPUs come and go */
	int r;

	if (attachment->loaded && scheduler_topology(attachment->loaded)->hotplug_seq == hotplug_seq)
		return 0;
	attachment->loaded = scheduler_free(attachment->loaded);
	if (!scheduler_can_load())
		return -ERESTART;
	r = topology_read(NULL, &topology);
	if (r < 0)
		return fail_topology(attachment, r);
	topology.hotplug_seq = hotplug_seq;
	r = scheduler_load(&topology, &attachment->loaded, &error);
	return r < 0 ? fail_attach(attachment, r, &error) : 0;
}

static void set_attached(struct attachment *attachment, bool adopted, const char *reason)
{
	kernel_read(&attachment->kernel);
	attachment->support = SUPPORT_OK;
	attachment->attached_since_us = scheduler_machine(attachment->scheduler)->attached_at_us;
	attachment->adopted = adopted;
	attachment_set_state(attachment, STATE_ATTACHED, "%s", reason);
}

int attachment_attach(struct attachment *attachment, const struct donor_params *params)
{
	bool replaces = attachment->stale;
	struct scheduler_error error = {};
	int r;

	r = make_loaded(attachment);
	attachment->stale = scheduler_free(attachment->stale);
	if (r < 0)
		return r;
	r = scheduler_attach(attachment->loaded, params, &error);
	if (r < 0) {
		if (r != -EBUSY)
			attachment->loaded = scheduler_free(attachment->loaded);
		return fail_attach(attachment, r, &error);
	}
	attachment->scheduler = steal_pointer(attachment->loaded);
	set_attached(attachment, false,
		     replaces ? "The kernel runs donor; the scheduler of another version ran "
				"before and was replaced."
			      : "The kernel runs donor.");
	return 0;
}

int attachment_adopt(struct attachment *attachment, struct scheduler_fd fds[], unsigned nr)
{
	struct scheduler *scheduler = NULL;
	int r;

	r = scheduler_adopt(fds, nr, &scheduler);
	if (r < 0) {
		attachment->stale = scheduler;
		return r;
	}
	attachment->scheduler = scheduler;
	set_attached(attachment, true,
		     "The kernel runs donor; it stayed attached while the service was restarted.");
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
		.adopted = attachment->adopted,
	};
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		ret->donation[hook] = params_donation(&wished, hook);
		ret->effective[hook] = effective && params_donation(effective, hook);
	}
	copy_text(ret->reason, sizeof(ret->reason), attachment->reason);
	copy_text(ret->scheduler_name, sizeof(ret->scheduler_name), attachment->kernel.ops);
	copy_text(ret->foreign, sizeof(ret->foreign),
		  attachment->scheduler ? "" : attachment->kernel.ops);
}
