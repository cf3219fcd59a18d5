/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "service/attachment.h"
#include "service/bus-scheduler.h"
#include "service/bus-statistics.h"
#include "service/log.h"
#include "service/manager.h"
#include "service/watch.h"

enum {
	SETTLE_US = 100 * 1000, /* until a kernel between two states is looked at again */
	AFTER_CONFLICT_US = 1000 * 1000, /* the other's service may be restarting */
};

struct manager {
	sd_event *event;
	sd_bus *bus;
	struct watch *watch;
	struct config config; /* as last read */
	struct wish wish;
	struct attachment attachment;
	uint64_t free_since_us; /* CLOCK_MONOTONIC when a conflict ended that we still wait out */
	struct status status; /* as last announced */
	char notified[STATUS_REASON_BYTES + 64]; /* the line that systemd was last told */
	char failure[STATUS_REASON_BYTES];
};

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

/* One PropertiesChanged for all that differs. */
static void publish(struct manager *manager)
{
	const struct status before = manager->status;
	int r;

	attachment_status(&manager->attachment, &manager->wish, &manager->status);
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

static int fail(struct manager *manager, int r, const char *text)
{
	(void)snprintf(manager->failure, sizeof(manager->failure), "%s", text);
	return r;
}

/* Attach, and what follows from the kernel's news. */

static void look_again(struct manager *manager, uint64_t delay_us)
{
	int r;

	r = watch_again(manager->watch, delay_us);
	if (r < 0)
		log_warning_errno(r, "cannot set a timer: %m");
}

static int attach(struct manager *manager)
{
	const struct donor_params params = wish_to_params(&manager->wish);
	int r;

	if (manager->attachment.state == STATE_ATTACHED)
		return 0;
	if (manager->attachment.scheduler) /* the kernel has not finished with the last one */
		return fail(manager, -EIO, manager->status.reason);
	r = attachment_begin(&manager->attachment);
	publish(manager);
	if (r >= 0) {
		(void)sd_bus_flush(manager->bus); /* the load blocks: let it be seen before */
		r = attachment_attach(&manager->attachment, &params);
		(void)malloc_trim(0); /* topology and program text took megabytes for a moment */
		publish(manager);
	}
	if (r == -EBUSY) /* the other may be gone already, and its leaving announced */
		look_again(manager, SETTLE_US);
	if (r < 0) {
		log_warning("not attached: %s", manager->status.reason);
		return fail(manager, r, manager->status.reason);
	}
	log_notice("attached, mode %s", mode_to_string(manager->status.mode));
	(void)bus_scheduler_emit_attached(manager->bus, manager->status.scheduler_name);
	return 0;
}

static void log_exit(struct attachment *attachment)
{
	const struct last_exit *last = &attachment->last_exit;
	char *rest = attachment->dump;

	log_error("the kernel ended the scheduler after %llu ms: %s (code %#llx), %s: %s",
		  (unsigned long long)last->attached_us / 1000, last->kind,
		  (unsigned long long)last->code, last->reason, last->message);
	for (char *line; (line = strsep(&rest, "\n"));)
		if (line[0])
			log_info("dump: %s", line);
	free(attachment->dump);
	attachment->dump = NULL;
}

static void exited(struct manager *manager, bool will_retry)
{
	log_exit(&manager->attachment);
	publish(manager);
	(void)bus_scheduler_emit_exited(manager->bus, &manager->status.last_exit, will_retry);
	if (!will_retry)
		return;
	log_notice("attaching anew, as the exit code asks");
	(void)attach(manager);
}

/* Attach when the other has been away for a second. */
static void conflict_over(struct manager *manager)
{
	uint64_t now_us;

	(void)sd_event_now(manager->event, CLOCK_MONOTONIC, &now_us);
	if (manager->free_since_us == 0)
		manager->free_since_us = now_us;
	if (now_us - manager->free_since_us < AFTER_CONFLICT_US)
		return look_again(manager, manager->free_since_us + AFTER_CONFLICT_US - now_us);
	manager->free_since_us = 0;
	(void)attach(manager);
}

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
static int look(void *userdata)
{
	struct manager *manager = userdata;
	enum attachment_news news = attachment_look(&manager->attachment);

	if (news != ATTACHMENT_FREE)
		manager->free_since_us = 0;
	if (news == ATTACHMENT_EXITED || news == ATTACHMENT_EXITED_RESTART) {
		exited(manager, news == ATTACHMENT_EXITED_RESTART);
		return 0;
	}
	publish(manager);
	if (news == ATTACHMENT_UNSETTLED)
		look_again(manager, SETTLE_US);
	if (news == ATTACHMENT_FREE)
		conflict_over(manager);
	return 0;
}

/* Requests. */

const struct scheduler *manager_scheduler(struct manager *manager)
{
	(void)look(manager);
	return manager->attachment.scheduler;
}

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

	(void)look(manager);
	if (attachment->scheduler)
		r = scheduler_set_params(attachment->scheduler, &params);
	if (r < 0) {
		(void)look(manager); /* ejected meanwhile? */
		(void)snprintf(manager->failure, sizeof(manager->failure),
			       "The kernel did not take the change: %s. It stays at mode %s; see "
			       "'donorctl status'.",
			       strerror(-r), mode_to_string(manager->status.mode));
		log_warning("%s (%s)", manager->failure, who);
		return -ECANCELED;
	}
	before = manager->status;
	manager->wish = *wish;
	publish(manager);
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

int manager_attach(struct manager *manager, const char *who)
{
	(void)look(manager);
	log_info("attach (%s)", who);
	manager->attachment.restarted = false;
	return attach(manager);
}

int manager_detach(struct manager *manager, const char *who)
{
	struct attachment *attachment = &manager->attachment;
	bool was_attached;
	int r;

	(void)look(manager);
	was_attached = attachment->scheduler;
	r = attachment_detach(attachment, who);
	if (r < 0)
		return fail(manager, r,
			    "The scheduler is not attached; 'donorctl status' says why.");
	log_notice("detached (%s)", who);
	publish(manager);
	if (was_attached)
		(void)bus_scheduler_emit_exited(manager->bus, &manager->status.last_exit, false);
	return 0;
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

/* Life. */

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
	attachment_rest(&manager->attachment, "The configuration says Attach=no; 'donorctl "
					      "attach' attaches.");
	attachment_status(&manager->attachment, &manager->wish, &manager->status);
	r = bus_scheduler_add(bus, manager);
	if (r < 0)
		return r;
	r = bus_statistics_add(bus, manager);
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
	watch_free(manager->watch);
	sd_bus_unref(manager->bus);
	sd_event_unref(manager->event);
	free(manager);
	return NULL;
}

int manager_start(struct manager *manager)
{
	int r;

	r = watch_new(&manager->watch, manager->event, look, manager);
	if (r < 0)
		return r;
	if (watch_error(manager->watch) < 0)
		log_warning_errno(watch_error(manager->watch),
				  "no announcements from the kernel, asking every second: %m");
	if (manager->config.attach)
		(void)attach(manager);
	else
		(void)look(manager);
	return 0;
}

void manager_stop(struct manager *manager)
{
	if (manager_detach(manager, "the service stops") < 0)
		log_debug("nothing to detach");
}
