/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: which mode and which donation are in force. */

#include <errno.h>
#include <string.h>

#include "service/bus-parameters.h"
#include "service/bus-scheduler.h"
#include "service/log.h"
#include "service/manager-private.h"

static void announce_mode(struct manager *manager, enum donor_mode before, const char *cause)
{
	const struct status *now = &manager->status;
	const struct mode_verdict *chosen = &now->resolution.in_force;

	log_event(EVENT_MODE_CHANGED, .mode = mode_to_string(now->mode),
		  .mode_old = mode_to_string(before), .source = source_to_string(chosen->source),
		  .reason = chosen->reason, .request = cause);
	(void)bus_scheduler_emit_mode_changed(manager->bus, before, now->mode,
					      source_to_string(chosen->source), chosen->reason);
}

static void announce_donation(struct manager *manager, enum donor_hook hook, const char *cause)
{
	bool on = manager->status.donation[hook];

	log_event(EVENT_DONATION_CHANGED, .hook = hook_to_string(hook),
		  .donation = on ? "on" : "off", .reason = cause);
	(void)bus_scheduler_emit_donation_changed(manager->bus, hook, on, cause);
}

struct status manager_before(struct manager *manager)
{
	(void)manager_look(manager);
	return manager->status;
}

void manager_announce(struct manager *manager, const struct status *before, const char *cause)
{
	manager_publish(manager);
	if (manager->status.mode != before->mode)
		announce_mode(manager, before->mode, cause);
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (manager->status.donation[hook] != before->donation[hook])
			announce_donation(manager, hook, cause);
	(void)bus_parameters_emit_changed(manager->bus, before, &manager->status, cause);
}

static int refused(struct manager *manager, int r, const char *cause)
{
	(void)snprintf(manager->failure, sizeof(manager->failure),
		       "The kernel did not take the change: %s. It stays at mode %s; see 'donorctl "
		       "status'.",
		       strerror(-r), mode_to_string(manager->status.mode));
	log_event(EVENT_NOT_CHANGED, .reason = manager->failure, .request = cause);
	return -ECANCELED;
}

/* An ejection that nobody has heard of yet is no refusal: look, and try what is there then. */
static int write_params(struct manager *manager, const struct wish *wish)
{
	const struct donor_params params = wish_to_params(wish);

	for (bool again = true; manager->attachment.scheduler; again = false) {
		int r = scheduler_set_params(manager->attachment.scheduler, &params);

		if (r < 0)
			(void)manager_look(manager);
		if (r >= 0 || !again)
			return r;
	}
	return 0;
}

/* The kernel first; only what it has confirmed is in force. */
int manager_apply(struct manager *manager, const struct mode_inputs *inputs,
		  const struct wish *wish, const char *cause)
{
	const struct resolution resolution = resolve(inputs);
	struct wish wanted = *wish;
	int r;

	wanted.mode = resolution.in_force.mode;
	r = write_params(manager, &wanted);
	if (r < 0)
		return refused(manager, r, cause);
	if (inputs != &manager->inputs)
		manager->inputs = *inputs;
	manager->resolution = resolution;
	manager->wish = wanted;
	return 0;
}

void manager_settle(struct manager *manager)
{
	manager->resolution = resolve(&manager->inputs);
	manager->wish.mode = manager->resolution.in_force.mode;
}

/* Without a look before: it would announce half of what changed. */
int manager_resolve(struct manager *manager, const char *cause)
{
	const struct status before = manager->status;
	int r;

	r = manager_apply(manager, &manager->inputs, &manager->wish, cause);
	manager_announce(manager, &before, cause);
	return r;
}
