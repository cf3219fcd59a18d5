/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: which mode and which donation are in force. */

#include <errno.h>
#include <string.h>

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

/* The kernel first; only what it has confirmed is in force. */
int manager_apply(struct manager *manager, const struct mode_inputs *inputs,
		  const struct wish *wish, const char *cause)
{
	const struct resolution resolution = resolve(inputs);
	struct wish wanted = *wish;
	int r = 0;

	wanted.mode = resolution.in_force.mode;
	if (manager->attachment.scheduler) {
		const struct donor_params params = wish_to_params(&wanted);

		r = scheduler_set_params(manager->attachment.scheduler, &params);
	}
	if (r < 0) {
		(void)manager_look(manager); /* ejected meanwhile? */
		return refused(manager, r, cause);
	}
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

int manager_resolve(struct manager *manager, const char *cause)
{
	const struct status before = manager_before(manager);
	int r;

	r = manager_apply(manager, &manager->inputs, &manager->wish, cause);
	manager_announce(manager, &before, cause);
	return r;
}

int manager_set_mode(struct manager *manager, enum donor_mode mode, const char *who)
{
	const struct status before = manager_before(manager);
	struct mode_inputs inputs = manager->inputs;
	int r;

	inputs.candidates[SOURCE_OVERRIDE] = mode_candidate(mode, "%s", who);
	r = manager_apply(manager, &inputs, &manager->wish, who);
	if (r < 0)
		return r;
	manager_announce(manager, &before, who);
	return 0;
}

int manager_set_donation(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
			 const char *who)
{
	const struct status before = manager_before(manager);
	struct wish wish = manager->wish;
	int r;

	wish.donation[hook] = choice;
	r = manager_apply(manager, &manager->inputs, &wish, who);
	if (r < 0)
		return r;
	manager_announce(manager, &before, who);
	return 0;
}

void configure_inputs(struct mode_inputs *inputs, const struct config *config)
{
	const struct mode_choice *lock = &config->lock;

	inputs->candidates[SOURCE_LOCKED] = (struct mode_candidate){};
	if (lock->present)
		inputs->candidates[SOURCE_LOCKED] = mode_candidate(
			lock->mode, "Lock=%s in the configuration", mode_to_string(lock->mode));
	inputs->candidates[SOURCE_CONFIG] =
		mode_candidate(config->wish.mode, "Mode=%s in the configuration",
			       mode_to_string(config->wish.mode));
}

/*
 * Only what the files now say differently about donation counts: a reload for another reason must
 * not undo what somebody asked for on the bus. The mode has its ranks for that.
 */
void manager_configure(struct manager *manager, const struct config *config)
{
	const struct status before = manager_before(manager);
	struct mode_inputs inputs = manager->inputs;
	struct wish wish = manager->wish;

	configure_inputs(&inputs, config);
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (config->wish.donation[hook] != manager->config.wish.donation[hook])
			wish.donation[hook] = config->wish.donation[hook];
	if (manager_apply(manager, &inputs, &wish, "configuration") < 0)
		return;
	if (config->report.log_level != manager->config.report.log_level)
		log_configure_level(config->report.log_level);
	manager_report(manager, &config->report);
	manager->config = *config;
	manager_announce(manager, &before, "configuration");
}
