/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: life, and what it tells the world. */

#include <errno.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "service/bus-log.h"
#include "service/bus-metrics.h"
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
	attachment_status(&manager->attachment, &manager->wish, ret);
	ret->resolution = manager->resolution;
	ret->default_mode = manager->config.wish.mode;
}

/* One PropertiesChanged for all that differs. */
void manager_publish(struct manager *manager)
{
	const struct status before = manager->status;
	int r;

	read_status(manager, &manager->status);
	manager_count(manager, &before);
	r = bus_scheduler_changed(manager->bus, &before, &manager->status);
	if (r < 0)
		log_warning_errno(r, "cannot announce a change on the bus: %m");
	notify_systemd(manager);
}

const struct status *manager_status(const struct manager *manager)
{
	return &manager->status;
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
	manager->wish = config->wish;
	configure_inputs(&manager->inputs, config);
	manager_settle(manager);
	attachment_rest(&manager->attachment, "The configuration says Attach=no; 'donorctl "
					      "attach' attaches.");
	read_status(manager, &manager->status);
	r = bus_scheduler_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_statistics_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_metrics_add(bus, manager);
	if (r < 0)
		return r;
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
	metrics_file_done(&manager->metrics_file);
	attachment_done(&manager->attachment);
	watch_free(manager->watch);
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
	manager_report(manager, &manager->config.report);
	return 0;
}

void manager_stop(struct manager *manager)
{
	if (manager_detach(manager, "the service stops") < 0)
		log_debug("nothing to detach");
}
