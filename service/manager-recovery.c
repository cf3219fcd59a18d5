/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: the scheduler ended; when it is attached again, and when no more. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "service/bus-exits.h"
#include "service/bus-scheduler.h"
#include "service/clock.h"
#include "service/log.h"
#include "service/manager-private.h"

enum { ACCURACY_US = 10 * 1000 };

static void set_timer(struct manager *manager, sd_event_source **timer, uint64_t at_us,
		      sd_event_time_handler_t handler)
{
	int r;

	*timer = sd_event_source_disable_unref(*timer);
	r = sd_event_add_time(manager->event, timer, CLOCK_MONOTONIC, at_us, ACCURACY_US, handler,
			      manager);
	if (r < 0)
		log_warning_errno(r, "cannot set a timer: %m");
}

static int on_stable(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *manager = userdata;

	log_debug("it has run for long enough: earlier exits count no more");
	retry_forgive(&manager->history->retry);
	manager_attempt_survived(manager);
	return 0;
}

void manager_attached(struct manager *manager)
{
	set_timer(manager, &manager->stable_timer,
		  now_us(CLOCK_MONOTONIC) + manager->config.attach.stable_us, on_stable);
}

void manager_stop_timers(struct manager *manager)
{
	manager->attempt_timer = sd_event_source_disable_unref(manager->attempt_timer);
	manager->stable_timer = sd_event_source_disable_unref(manager->stable_timer);
	manager->next_attempt_us = 0;
}

static int on_attempt(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *manager = userdata;

	log_event(EVENT_RETRY, .reason = manager->attachment.reason);
	manager->history->nr_restarts++;
	(void)manager_attach_now(manager, true);
	return 0;
}

bool manager_try_later(struct manager *manager, enum exit_cause cause, uint64_t attached_us)
{
	const uint64_t now = now_us(CLOCK_MONOTONIC);
	const struct retry_verdict verdict = retry_after(
		&manager->history->retry, &manager->config.attach, cause, now, attached_us);

	if (cause == EXIT_ORDER) {
		log_notice("%s", manager->attachment.reason);
		return false;
	}
	if (!verdict.again) {
		attachment_give_up(&manager->attachment, manager->history->retry.nr_faults);
		log_event(EVENT_GAVE_UP, .reason = manager->attachment.reason);
		return false;
	}
	attachment_back_off(&manager->attachment, verdict.delay_us);
	if (verdict.delay_us > 0)
		log_event(EVENT_BACKED_OFF, .reason = manager->attachment.reason);
	manager->next_attempt_us = now + verdict.delay_us;
	set_timer(manager, &manager->attempt_timer, manager->next_attempt_us, on_attempt);
	return true;
}

static void log_exit(const struct exit_info *last, const char *dump)
{
	_cleanup_(freep) char *copy = dump ? strdup(dump) : NULL;
	char *rest = copy;
	char ran_msec[24], code[24];

	(void)snprintf(ran_msec, sizeof(ran_msec), "%" PRIu64, last->attached_us / 1000);
	(void)snprintf(code, sizeof(code), "%#" PRIx64, (uint64_t)last->code);
	log_event(EVENT_EXITED, .exit_kind = last->kind, .exit_code = code,
		  .exit_reason = last->reason, .exit_message = last->message, .ran_msec = ran_msec);
	for (char *line; (line = strsep(&rest, "\n"));)
		if (line[0])
			log_info("dump: %s", line);
}

void manager_exited(struct manager *manager)
{
	struct attachment *attachment = &manager->attachment;
	const struct exit_info *last = &attachment->last_exit;
	bool again;

	log_exit(last, attachment->dump);
	exits_add(&manager->history->exits, manager->config.attach.keep_exits, last,
		  attachment->dump ?: "");
	free(attachment->dump);
	attachment->dump = NULL;
	manager_stop_timers(manager);
	manager_attempt_survived(manager);
	again = manager_try_later(manager, attachment->last_cause, last->attached_us);
	manager_publish(manager);
	(void)bus_scheduler_emit_exited(manager->bus, &manager->status.last_exit, again);
}

void manager_resumed(void *userdata)
{
	struct manager *manager = userdata;

	log_info("the machine woke up");
	(void)manager_look(manager);
	if (manager->attachment.state != STATE_BACKOFF)
		return;
	log_event(EVENT_RETRY, .reason = "the machine woke up");
	/* It was not the scheduler's fault: its tasks and its CPUs had been stopped. */
	retry_forgive(&manager->history->retry);
	manager->history->nr_restarts++;
	(void)manager_attach_now(manager, true);
}

void manager_reset_failed(struct manager *manager, const char *who)
{
	(void)manager_look(manager);
	log_event(EVENT_RESET, .reason = who);
	retry_forgive(&manager->history->retry);
	manager->history->nr_restarts = 0;
	carried_forget_restarts(manager->carried);
	if (!manager->attachment.scheduler)
		manager_attempt_survived(manager);
	if (manager->attachment.state == STATE_FAILED && !manager->attachment.scheduler)
		attachment_rest(&manager->attachment, STATE_DETACHED,
				"The failure was reset; 'donorctl attach' attaches.");
	manager_publish(manager);
}

const struct exits *manager_exits(const struct manager *manager)
{
	return &manager->history->exits;
}
