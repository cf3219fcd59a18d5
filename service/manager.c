/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: life, and what it tells the world. */

#include <errno.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "service/bus-config.h"
#include "service/bus-mode.h"
#include "service/bus-parameters.h"
#include "service/bus-scheduler.h"
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

	attachment_status(&manager->attachment, &manager->wish, ret);
	ret->params = scheduler ? *scheduler_params(scheduler) : wish_to_params(&manager->wish);
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		ret->modes[mode] = wish_to_mode_params(&manager->wish, mode);
	ret->resolution = manager->resolution;
	ret->override = manager->override;
	ret->default_mode = manager->config.wish.mode;
}

/* One PropertiesChanged for all that differs. */
void manager_publish(struct manager *manager)
{
	const struct status before = manager->status;
	int r;

	read_status(manager, &manager->status);
	r = bus_scheduler_changed(manager->bus, &before, &manager->status);
	if (r < 0)
		log_warning_errno(r, "cannot announce a change on the bus: %m");
	notify_systemd(manager);
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
	attachment_rest(&manager->attachment, "The configuration says Attach=no; 'donorctl "
					      "attach' attaches.");
	read_status(manager, &manager->status);
	r = bus_scheduler_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_mode_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_statistics_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_parameters_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_config_add(bus, manager);
	if (r < 0)
		return r;
	*ret = steal_pointer(manager);
	return 0;
}

struct manager *manager_free(struct manager *manager)
{
	if (!manager)
		return NULL;
	attachment_done(&manager->attachment);
	sd_event_source_disable_unref(manager->override_timer);
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

int manager_start(struct manager *manager)
{
	int r;

	r = watch_new(&manager->watch, manager->event, on_news, manager);
	if (r < 0)
		return r;
	if (watch_error(manager->watch) < 0)
		log_warning_errno(watch_error(manager->watch),
				  "no announcements from the kernel, asking every second: %m");
	if (manager->config.attach.attach)
		(void)manager_attach_now(manager);
	else
		(void)manager_look(manager);
	return 0;
}

void manager_stop(struct manager *manager)
{
	if (manager_detach(manager, "the service stops") < 0)
		log_debug("nothing to detach");
}
