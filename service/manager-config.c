/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: the configuration, and reading it again. */

#include <errno.h>
#include <inttypes.h>
#include <systemd/sd-daemon.h>

#include "service/bus-config.h"
#include "service/clock.h"
#include "service/log.h"
#include "service/manager-private.h"
#include "service/parameters.h"

const struct config *manager_config(const struct manager *manager)
{
	return &manager->config;
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
 * not undo what somebody asked for on the bus. Mode and parameters have their ranks for that.
 */
static int configure(struct manager *manager, const struct config *config, const char *who)
{
	const struct status before = manager_before(manager);
	const struct config old = manager->config;
	struct mode_inputs inputs = manager->inputs;
	struct wish wish = manager->wish;
	int r;

	configure_inputs(&inputs, config);
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (config->wish.donation[hook] != old.wish.donation[hook])
			wish.donation[hook] = config->wish.donation[hook];
	memcpy(wish.configured, config->wish.configured, sizeof(wish.configured));
	r = manager_apply(manager, &inputs, &wish, who);
	if (r < 0)
		return r;
	manager->config = *config;
	if (config->report.log_level != old.report.log_level)
		log_configure_level(config->report.log_level);
	manager_report(manager, &manager->config.report);
	manager->attachment.waits = config->attach.wait_for_other;
	exits_trim(&manager->history->exits, config->attach.keep_exits);
	manager_configure_donation(manager, &old);
	manager_announce(manager, &before, who);
	manager_automatic_configure(manager);
	return 0;
}

struct warnings {
	config_warn_t warn;
	void *userdata;
};

static void on_warning(void *userdata, const char *text)
{
	const struct warnings *warnings = userdata;

	log_event(EVENT_CONFIG_WARNING, .reason = text);
	if (warnings->warn)
		warnings->warn(warnings->userdata, text);
}

/* What was set at run time stays wished; where it no longer fits, the mode's own values rule. */
static void warn_of_misfits(const struct manager *manager, struct warnings *warnings)
{
	enum donor_mode mode;
	struct knob_pair pair;
	char text[512];

	if (wish_check(&manager->wish, NULL, &mode, &pair) >= 0)
		return;
	(void)snprintf(text, sizeof(text),
		       "In mode %s, %s would be above %s with what was set at run time; both have "
		       "the mode's own values. 'donorctl tune' shows them.",
		       mode_to_string(mode), pair.small->name, pair.large->name);
	on_warning(warnings, text);
}

static int read_again(struct manager *manager, struct warnings *warnings, const char *who)
{
	const struct config_sources *sources = &manager->config.sources;
	const struct config_sources before = *sources;
	struct config config;
	int r;

	r = config_read(sources->root, on_warning, warnings, &config);
	if (r < 0)
		return manager_fail(manager, r, "The configuration cannot be read.");
	if (config.sources.nr_files == 0 && config.sources.nr_ignored > 0)
		return manager_fail(manager, -EUCLEAN,
				    "No file of the configuration can be read, so the old one stays "
				    "in force. What is wrong with them is in the journal.");
	r = configure(manager, &config, who);
	if (r < 0)
		return r;
	warn_of_misfits(manager, warnings);
	if (memcmp(before.files, sources->files, sizeof(before.files)) != 0)
		(void)bus_config_emit_files_changed(manager->bus);
	return 0;
}

int manager_reload(struct manager *manager, config_warn_t warn, void *userdata, const char *who)
{
	struct warnings warnings = { warn, userdata };
	int r;

	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now_us(CLOCK_MONOTONIC));
	r = read_again(manager, &warnings, who);
	if (r < 0)
		log_event(EVENT_CONFIG_REFUSED, .reason = manager_reason(manager));
	else
		log_event(EVENT_CONFIG_LOADED);
	(void)sd_notify(0, "READY=1");
	return r;
}
