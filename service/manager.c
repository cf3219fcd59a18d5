/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: life, and what it tells the world. */

#include <errno.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "service/bus-automatic.h"
#include "service/bus-config.h"
#include "service/bus-exits.h"
#include "service/bus-holds.h"
#include "service/bus-log.h"
#include "service/bus-metrics.h"
#include "service/bus-mode.h"
#include "service/bus-parameters.h"
#include "service/bus-scheduler.h"
#include "service/bus-sleep.h"
#include "service/bus-statistics.h"
#include "service/log.h"
#include "service/manager-private.h"

/* The line that `systemctl status` shows. */
static void notify_systemd(struct manager *manager)
{
	char line[sizeof(manager->notified)];

	status_line(&manager->status, line, sizeof(line));
	if (strcmp(manager->notified, line) == 0)
		return;
	(void)sd_notifyf(0, "STATUS=%s", line);
	memcpy(manager->notified, line, sizeof(line));
}

static void read_status(const struct manager *manager, struct status *ret)
{
	const struct scheduler *scheduler = manager->attachment.scheduler;
	const struct automatic_news *news = &manager->automatic.news;

	attachment_status(&manager->attachment, &manager->wish, ret);
	ret->params = scheduler ? *scheduler_params(scheduler) : wish_to_params(&manager->wish);
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		ret->modes[mode] = wish_to_mode_params(&manager->wish, mode);
	ret->resolution = manager->resolution;
	ret->override = manager->override;
	ret->nr_hold_changes = manager->nr_hold_changes;
	ret->default_mode = manager->config.wish.mode;
	ret->follows_profiles = manager->config.automatic.follow;
	ret->on_battery = news->battery.on_battery;
	(void)snprintf(ret->profile, sizeof(ret->profile), "%s",
		       news->profile.is_idle ? profile_names[ret->mode] : news->profile.profile);
	(void)snprintf(ret->profiles_provider, sizeof(ret->profiles_provider), "%s",
		       news->profile.provider ?: "");
	(void)snprintf(ret->degraded, sizeof(ret->degraded), "%s", news->profile.degraded);
	ret->nr_restarts = manager->history->nr_restarts;
	ret->next_attempt_us = manager->next_attempt_us;
}

/* One PropertiesChanged for all that differs. */
void manager_publish(struct manager *manager)
{
	const struct status before = manager->status;
	int r;

	manager_keep(manager);
	read_status(manager, &manager->status);
	manager_count(manager, &before);
	r = bus_scheduler_changed(manager->bus, &before, &manager->status);
	if (r < 0)
		log_warning_errno(r, "cannot announce a change on the bus: %m");
	if (manager->automatic.offered)
		bus_profiles_announce(manager->automatic.offered);
	notify_systemd(manager);
	manager_tell_conflict(manager);
	manager_tell_provider(manager, &before);
}

const struct status *manager_status(const struct manager *manager)
{
	return &manager->status;
}

const struct request_config *manager_requests(const struct manager *manager)
{
	return &manager->config.request;
}

const struct wish *manager_wish(const struct manager *manager)
{
	return &manager->wish;
}

const char *manager_reason(const struct manager *manager)
{
	return manager->failure;
}

int manager_fail(struct manager *manager, int r, const char *text)
{
	(void)snprintf(manager->failure, sizeof(manager->failure), "%s", text);
	return r;
}

/* What is on the bus: each puts members of its topic there. */
static int (*const add_members[])(sd_bus *bus, struct manager *manager) = {
	bus_scheduler_add,  bus_mode_add,   bus_holds_add, bus_automatic_add, bus_statistics_add,
	bus_parameters_add, bus_config_add, bus_exits_add, bus_metrics_add,
};

int manager_new(struct manager **ret, sd_event *event, sd_bus *bus, const struct config *config)
{
	_cleanup_(manager_freep) struct manager *manager = NULL;
	int r;

	manager = calloc(1, sizeof(*manager));
	if (!manager)
		return -ENOMEM;
	manager->event = sd_event_ref(event);
	manager->bus = sd_bus_ref(bus);
	manager->config = *config;
	r = manager_open_state(manager);
	if (r < 0)
		return r;
	manager->wish = config->wish;
	configure_inputs(&manager->inputs, config);
	manager_restore_override(manager);
	manager_restore_donation(manager);
	manager_restore_parameters(manager);
	manager_settle(manager);
	manager->attachment.waits = config->attach.wait_for_other;
	if (manager->history->exits.nr > 0)
		manager->attachment.last_exit = manager->history->exits.list[0];
	attachment_rest(&manager->attachment, STATE_DETACHED,
			"The configuration says Attach=no; 'donorctl attach' attaches.");
	read_status(manager, &manager->status);
	for (unsigned i = 0; i < sizeof(add_members) / sizeof(add_members[0]); i++) {
		r = add_members[i](bus, manager);
		if (r < 0)
			return r;
	}
	r = bus_log_add(bus);
	if (r < 0)
		return r;
	log_configure_level(config->report.log_level);
	*ret = steal_pointer(manager);
	return 0;
}

struct manager *manager_free(struct manager *manager)
{
	if (!manager)
		return NULL;
	manager_automatic_done(manager);
	manager_drop_holds(manager);
	sd_event_source_disable_unref(manager->override_timer);
	sd_event_source_disable_unref(manager->restart_timer);
	manager_stop_timers(manager);
	sd_bus_slot_unref(manager->owner_slot);
	sd_bus_slot_unref(manager->sleep_slot);
	if (manager->nr_kept > 0) /* not told to stop: systemd will start another */
		attachment_release(&manager->attachment);
	metrics_file_done(&manager->metrics_file);
	attachment_done(&manager->attachment);
	carried_close(manager->carried);
	history_close(manager->history);
	watch_free(manager->watch);
	state_free(manager->state);
	state_free(manager->boot_state);
	sd_bus_unref(manager->bus);
	sd_event_unref(manager->event);
	free(manager);
	return NULL;
}

static int on_news(void *userdata)
{
	return manager_look(userdata);
}

/* What cannot be watched is done without. */
static int start_watching(struct manager *manager)
{
	int r;

	r = watch_new(&manager->watch, manager->event, on_news, manager);
	if (r < 0)
		return r;
	if (watch_error(manager->watch) < 0)
		log_warning_errno(watch_error(manager->watch),
				  "no announcements from the kernel, asking every second: %m");
	r = manager_automatic_start(manager);
	if (r < 0)
		log_warning_errno(r, "power profiles and battery are not followed: %m");
	r = bus_sleep_watch(manager->bus, &manager->sleep_slot, manager_resumed, manager);
	if (r < 0)
		log_warning_errno(r, "cannot hear of sleep and resume: %m");
	return 0;
}

/* The boot guard has no say in what was attached within this boot, and is to be again. */
static void attach_at_start(struct manager *manager)
{
	bool is_retry = manager->carried->wish == CARRIED_ATTACH;

	if (manager_wants_attach(manager) &&
	    (is_retry || manager->attachment.stale || manager_may_attach_at_start(manager)))
		(void)manager_attach_now(manager, is_retry);
	else
		(void)manager_look(manager);
}

int manager_start(struct manager *manager)
{
	int r;

	/* The name on the bus is ours, so their owners can be told; but nobody was answered yet. */
	manager_restore_holds(manager);
	manager_settle(manager);
	read_status(manager, &manager->status);
	r = start_watching(manager);
	if (r < 0)
		return r;
	r = manager_take_over(manager);
	if (r < 0)
		return r;
	attach_at_start(manager);
	manager_report(manager, &manager->config.report);
	return 0;
}

void manager_stop(struct manager *manager)
{
	if (!manager_leave(manager) && manager_detach(manager, "the service stops") < 0)
		log_debug("nothing to detach");
	/* A restart begins as configured, but for what is attached. */
	manager->carried->wish = CARRIED_NOTHING;
}
