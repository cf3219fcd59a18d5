/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: what it counts, and tells those who watch many machines. */

#include <string.h>

#include "service/clock.h"
#include "service/log.h"
#include "service/manager-private.h"

void manager_count(struct manager *manager, const struct status *before)
{
	tally_update(&manager->tally, before, &manager->status, now_us(CLOCK_MONOTONIC));
}

void manager_tell_provider(const struct manager *manager, const struct status *before)
{
	const char *now = manager->status.profiles_provider;
	char reason[STATUS_PROFILE_BYTES + 32];

	if (strcmp(now, before->profiles_provider) == 0)
		return;
	(void)snprintf(reason, sizeof(reason), "provided by %s", now[0] ? now : "nobody");
	log_event(EVENT_PROVIDER_CHANGED, .reason = reason);
}

int manager_metrics(struct manager *manager, enum metrics_format format, char **ret)
{
	struct metrics metrics = { .scheduler = manager_scheduler(manager) };

	manager_count(manager, &manager->status);
	metrics.status = &manager->status;
	metrics.tally = &manager->tally;
	metrics.nr_holds = manager->holds.nr;
	return metrics_text(&metrics, format, ret);
}

static int make_text(void *userdata, char **ret)
{
	return manager_metrics(userdata, METRICS_CLASSIC, ret);
}

static void complain(void *userdata, const char *path, int r)
{
	char reason[CONFIG_PATH_BYTES + 160];

	(void)snprintf(reason, sizeof(reason),
		       "%s: %s; let the user donor write there, see TextFile= in donor.conf(5)",
		       path, strerror(-r));
	log_event(EVENT_METRICS_FILE, .reason = reason);
}

void manager_report(struct manager *manager, const struct report_config *config)
{
	int r;

	manager->metrics_file.make = make_text;
	manager->metrics_file.complain = complain;
	manager->metrics_file.userdata = manager;
	r = metrics_file_set(&manager->metrics_file, manager->event, config->text_file,
			     config->interval_us);
	if (r < 0)
		log_warning_errno(r, "cannot set a timer for the metrics: %m");
}
