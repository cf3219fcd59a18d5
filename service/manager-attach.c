/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: attach, detach, and what follows from the kernel's news. */

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <string.h>

#include "service/bus-scheduler.h"
#include "service/log.h"
#include "service/manager-private.h"

enum {
	SETTLE_US = 100 * 1000, /* until a kernel between two states is looked at again */
	AFTER_CONFLICT_US = 1000 * 1000, /* the other's service may be restarting */
};

static void look_again(struct manager *manager, uint64_t delay_us)
{
	int r;

	r = watch_again(manager->watch, delay_us);
	if (r < 0)
		log_warning_errno(r, "cannot set a timer: %m");
}

int manager_attach_now(struct manager *manager)
{
	struct donor_params params;
	int r;

	if (manager->attachment.state == STATE_ATTACHED)
		return 0;
	if (manager->attachment.scheduler) /* the kernel has not finished with the last one */
		return manager_fail(manager, -EIO, manager->status.reason);
	manager_settle(manager); /* the last scheduler may have refused a change */
	params = wish_to_params(&manager->wish);
	r = attachment_begin(&manager->attachment);
	manager_publish(manager);
	if (r >= 0) {
		(void)sd_bus_flush(manager->bus); /* the load blocks: let it be seen before */
		r = attachment_attach(&manager->attachment, &params);
		(void)malloc_trim(0); /* topology and program text took megabytes for a moment */
		manager_publish(manager);
	}
	if (r == -EBUSY) /* the other may be gone already, and its leaving announced */
		look_again(manager, SETTLE_US);
	if (r < 0) {
		log_event(r == -EBUSY ? EVENT_CONFLICT : EVENT_NOT_ATTACHED,
			  .reason = manager->status.reason, .scheduler = manager->status.foreign);
		return manager_fail(manager, r, manager->status.reason);
	}
	log_event(EVENT_ATTACHED, .mode = mode_to_string(manager->status.mode),
		  .scheduler = manager->status.scheduler_name);
	(void)bus_scheduler_emit_attached(manager->bus, manager->status.scheduler_name);
	return 0;
}

static void log_exit(struct attachment *attachment)
{
	const struct last_exit *last = &attachment->last_exit;
	char *rest = attachment->dump;
	char ran_msec[24], code[24];

	(void)snprintf(ran_msec, sizeof(ran_msec), "%" PRIu64, last->attached_us / 1000);
	(void)snprintf(code, sizeof(code), "%#" PRIx64, (uint64_t)last->code);
	log_event(EVENT_EXITED, .exit_kind = last->kind, .exit_code = code,
		  .exit_reason = last->reason, .exit_message = last->message, .ran_msec = ran_msec);
	for (char *line; (line = strsep(&rest, "\n"));)
		if (line[0])
			log_info("dump: %s", line);
	free(attachment->dump);
	attachment->dump = NULL;
}

static void exited(struct manager *manager, bool will_retry)
{
	log_exit(&manager->attachment);
	manager_publish(manager);
	(void)bus_scheduler_emit_exited(manager->bus, &manager->status.last_exit, will_retry);
	if (!will_retry)
		return;
	log_event(EVENT_RETRY, .reason = "the exit code asks for it");
	if (manager_attach_now(manager) >= 0)
		manager->tally.nr_restarts++;
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
	log_event(EVENT_CONFLICT_OVER);
	(void)manager_attach_now(manager);
}

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
int manager_look(struct manager *manager)
{
	enum attachment_news news = attachment_look(&manager->attachment);

	if (news != ATTACHMENT_FREE)
		manager->free_since_us = 0;
	if (news == ATTACHMENT_EXITED || news == ATTACHMENT_EXITED_RESTART) {
		exited(manager, news == ATTACHMENT_EXITED_RESTART);
		return 0;
	}
	manager_publish(manager);
	if (news == ATTACHMENT_UNSETTLED)
		look_again(manager, SETTLE_US);
	if (news == ATTACHMENT_FREE)
		conflict_over(manager);
	return 0;
}

const struct scheduler *manager_scheduler(struct manager *manager)
{
	(void)manager_look(manager);
	return manager->attachment.scheduler;
}

int manager_attach(struct manager *manager, const char *who)
{
	(void)manager_look(manager);
	log_info("attach (%s)", who);
	manager->attachment.restarted = false;
	return manager_attach_now(manager);
}

int manager_detach(struct manager *manager, const char *who)
{
	struct attachment *attachment = &manager->attachment;
	bool was_attached;
	int r;

	(void)manager_look(manager);
	was_attached = attachment->scheduler;
	r = attachment_detach(attachment, who);
	if (r < 0)
		return manager_fail(manager, r,
				    "The scheduler is not attached; 'donorctl status' says why.");
	log_event(EVENT_DETACHED, .reason = who);
	manager_publish(manager);
	if (was_attached)
		(void)bus_scheduler_emit_exited(manager->bus, &manager->status.last_exit, false);
	return 0;
}
