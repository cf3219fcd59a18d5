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

static int not_attached(struct manager *manager, int r)
{
	const char *rival = attachment_rival(&manager->attachment);

	log_event(r == -EBUSY ? EVENT_CONFLICT : EVENT_NOT_ATTACHED,
		  .reason = manager->attachment.reason, .scheduler = rival[0] ? rival : NULL);
	return r;
}

/* The kernel is troubled now, and the state decided. */
static int attempt(struct manager *manager, bool is_retry)
{
	struct attachment *attachment = &manager->attachment;
	const struct donor_params params = wish_to_params(&manager->wish);
	int r;

	(void)sd_bus_flush(manager->bus); /* the load blocks: let it be seen before */
	manager_attempt_begins(manager);
	r = attachment_attach(attachment, &params);
	(void)malloc_trim(0); /* topology and program text took megabytes for a moment */
	if (r == -ERESTART) { /* no attempt was made */
		manager_attempt_survived(manager);
		return r;
	}
	if (r < 0)
		(void)not_attached(manager, r);
	if (r == -EIO && (is_retry || attachment->last_cause == EXIT_RESTART))
		(void)manager_try_later(manager, attachment->last_cause, 0);
	if (r >= 0)
		manager_attached(manager);
	else
		manager_attempt_survived(manager);
	manager_publish(manager);
	return r;
}

int manager_attach_now(struct manager *manager, bool is_retry)
{
	int r;

	if (manager->attachment.state == STATE_ATTACHED)
		return 0;
	if (manager->attachment.scheduler) /* the kernel has not finished with the last one */
		return manager_fail(manager, -EIO, manager->status.reason);
	manager_stop_timers(manager);
	manager_settle(manager); /* the last scheduler may have refused a change */
	r = attachment_begin(&manager->attachment);
	manager_publish(manager);
	r = r < 0 ? not_attached(manager, r) : attempt(manager, is_retry);
	if (r == -EBUSY) /* the other may be gone already, and its leaving announced */
		look_again(manager, SETTLE_US);
	if (r == -ERESTART)
		return manager_restart(manager);
	if (r < 0)
		return manager_fail(manager, r, manager->status.reason);
	manager_drop_privileges(manager);
	log_event(EVENT_ATTACHED, .mode = mode_to_string(manager->status.mode),
		  .scheduler = manager->status.scheduler_name);
	(void)bus_scheduler_emit_attached(manager->bus, manager->status.scheduler_name, false);
	return 0;
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
	(void)manager_attach_now(manager, false);
}

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
int manager_look(struct manager *manager)
{
	enum attachment_news news = attachment_look(&manager->attachment);

	if (news != ATTACHMENT_FREE)
		manager->free_since_us = 0;
	if (news == ATTACHMENT_EXITED) {
		manager_exited(manager);
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
	retry_forgive(&manager->history->retry);
	return manager_attach_now(manager, false);
}

int manager_detach(struct manager *manager, const char *who)
{
	struct attachment *attachment = &manager->attachment;
	bool was_attached;
	int r;

	(void)manager_look(manager);
	was_attached = attachment->scheduler != NULL;
	r = attachment_detach(attachment, who);
	if (r < 0)
		return manager_fail(manager, r,
				    "The scheduler is not attached; 'donorctl status' says why.");
	manager_stop_timers(manager);
	if (was_attached) {
		exits_add(&manager->history->exits, manager->config.attach.keep_exits,
			  &attachment->last_exit, "");
		manager_attempt_survived(manager);
	}
	log_event(EVENT_DETACHED, .reason = who);
	manager_publish(manager);
	if (was_attached)
		(void)bus_scheduler_emit_exited(manager->bus, &manager->status.last_exit, false);
	return 0;
}
