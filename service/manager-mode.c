/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: which mode and which donation are in force. */

#include <errno.h>
#include <string.h>

#include "service/bus-scheduler.h"
#include "service/log.h"
#include "service/manager-private.h"

static void announce_wish(struct manager *manager, enum donor_mode before,
			  const bool donation_before[], const char *source, const char *who)
{
	const struct status *now = &manager->status;

	if (now->mode != before) {
		log_notice("mode %s, was %s (%s)", mode_to_string(now->mode),
			   mode_to_string(before), who);
		(void)bus_scheduler_emit_mode_changed(manager->bus, before, now->mode, source, who);
	}
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		if (now->donation[hook] == donation_before[hook])
			continue;
		log_notice("donation at %s %s (%s)", hook_to_string(hook),
			   now->donation[hook] ? "on" : "off", who);
		(void)bus_scheduler_emit_donation_changed(manager->bus, hook, now->donation[hook],
							  who);
	}
}

/* The kernel first; only what it has confirmed is the new wish. */
static int set_wish(struct manager *manager, const struct wish *wish, const char *source,
		    const char *who)
{
	struct attachment *attachment = &manager->attachment;
	const struct donor_params params = wish_to_params(wish);
	struct status before;
	int r = 0;

	(void)manager_look(manager);
	if (attachment->scheduler)
		r = scheduler_set_params(attachment->scheduler, &params);
	if (r < 0) {
		(void)manager_look(manager); /* ejected meanwhile? */
		(void)snprintf(manager->failure, sizeof(manager->failure),
			       "The kernel did not take the change: %s. It stays at mode %s; see "
			       "'donorctl status'.",
			       strerror(-r), mode_to_string(manager->status.mode));
		log_warning("%s (%s)", manager->failure, who);
		return -ECANCELED;
	}
	before = manager->status;
	manager->wish = *wish;
	manager_publish(manager);
	announce_wish(manager, before.mode, before.donation, source, who);
	return 0;
}

int manager_set_mode(struct manager *manager, enum donor_mode mode, const char *who)
{
	struct wish wish = manager->wish;

	wish.mode = mode;
	return set_wish(manager, &wish, "override", who);
}

int manager_set_donation(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
			 const char *who)
{
	struct wish wish = manager->wish;

	wish.donation[hook] = choice;
	return set_wish(manager, &wish, "override", who);
}

/*
 * Only what the files now say differently counts: a reload for another reason must not undo what
 * somebody asked for on the bus.
 */
void manager_configure(struct manager *manager, const struct config *config)
{
	struct wish wish = manager->wish;

	if (config->wish.mode != manager->config.wish.mode)
		wish.mode = config->wish.mode;
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (config->wish.donation[hook] != manager->config.wish.donation[hook])
			wish.donation[hook] = config->wish.donation[hook];
	if (set_wish(manager, &wish, "config", "configuration") >= 0)
		manager->config = *config;
}
