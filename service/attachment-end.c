/* SPDX-License-Identifier: GPL-2.0-only */

/* The attachment: how it ends, by request or by the kernel, and what the kernel says meanwhile. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "service/attachment-private.h"
#include "service/clock.h"
#include "service/copy-text.h"

/* enum scx_exit_kind; these never changed their values. */
enum {
	EXIT_KIND_UNREG = 64, /* on our request */
	EXIT_KIND_ERROR = 1024, /* this and above: something went wrong */
};

#define NO_RECORD_US (5 * 1000000ULL)
#define SLOW_EXIT_US (1 * 1000000ULL)

static uint64_t ran_for_us(const struct attachment *attachment)
{
	return now_us(CLOCK_MONOTONIC) - attachment->attached_since_us;
}

/*
 * Where a load needs another process, what is loaded is kept for the next attach. But not after an
 * error: nobody knows what it left in there.
 */
static void put_aside(struct attachment *attachment, __u32 kind)
{
	struct scheduler *scheduler = steal_pointer(attachment->scheduler);

	if (scheduler_can_load() || kind == 0 || kind >= EXIT_KIND_ERROR) {
		scheduler_free(scheduler);
		return;
	}
	scheduler_detach(scheduler);
	attachment->loaded = scheduler;
}

/*
 * Keep the exit record, then end our side. A stale link of ours makes the kernel answer EBUSY to
 * everyone, so it goes before anything is decided.
 */
static void end_scheduler(struct attachment *attachment, __u32 kind, __s64 code, const char *reason,
			  const char *message)
{
	struct exit_info *last = &attachment->last_exit;

	*last = (struct exit_info){
		.realtime_us = now_us(CLOCK_REALTIME),
		.code = code,
		.attached_us = ran_for_us(attachment),
	};
	(void)snprintf(last->kind, sizeof(last->kind), "%s", scheduler_exit_kind(kind));
	copy_text(last->reason, sizeof(last->reason), reason);
	copy_text(last->message, sizeof(last->message), message);
	put_aside(attachment, kind);
	attachment->attached_since_us = 0;
	attachment->adopted = false;
	attachment->unsettled_since_us = 0;
	kernel_read(&attachment->kernel);
}

int attachment_detach(struct attachment *attachment, const char *who)
{
	char reason[STATUS_REASON_BYTES];

	if (attachment->state != STATE_ATTACHED && attachment->state != STATE_CONFLICT &&
	    attachment->state != STATE_BACKOFF)
		return -ENOLINK;
	if (attachment->unsettled_since_us != 0) /* being ejected: see is_exit_settled() */
		return -ENOLINK;
	if (attachment->scheduler)
		end_scheduler(attachment, EXIT_KIND_UNREG, 0, who, "");
	(void)snprintf(reason, sizeof(reason),
		       "Detached on request (%s); 'donorctl attach' attaches again.", who);
	attachment_rest(attachment, STATE_DETACHED, reason);
	return 0;
}

static enum attachment_news look_at_exit(struct attachment *attachment)
{
	const struct donor_exit record = *scheduler_exit(attachment->scheduler);
	const struct exit_info *last = &attachment->last_exit;

	free(attachment->dump);
	attachment->dump = strndup(record.dump, sizeof(record.dump));
	attachment->last_cause = exit_cause(record.kind, record.code);
	end_scheduler(attachment, record.kind, record.code, record.reason, record.message);
	if (attachment->last_cause == EXIT_ORDER)
		attachment_set_state(
			attachment, STATE_DETACHED,
			"An administrator switched sched_ext schedulers off with sysrq-S; "
			"'donorctl attach' brings donor back.");
	else
		attachment_set_state(attachment, STATE_FAILED,
				     "The kernel ended the scheduler: %s%s%.400s.",
				     last->reason[0] ? last->reason : last->kind,
				     last->message[0] ? ": " : "", last->message);
	return ATTACHMENT_EXITED;
}

/* The reason stays, and goes on with what is done about it. */
static void __attribute__((format(printf, 3, 4)))
go_on(struct attachment *attachment, enum service_state state, const char *format, ...)
{
	char why[sizeof(attachment->reason)], then[256];
	size_t length = strlen(attachment->reason);
	va_list args;

	if (length > 0 && attachment->reason[length - 1] == '.')
		length--;
	(void)snprintf(why, sizeof(why), "%.*s", (int)length, attachment->reason);
	va_start(args, format);
	(void)vsnprintf(then, sizeof(then), format, args);
	va_end(args);
	attachment_set_state(attachment, state, "%.500s; %s", why, then);
}

void attachment_back_off(struct attachment *attachment, uint64_t delay_us)
{
	if (delay_us == 0)
		return go_on(attachment, STATE_BACKOFF, "it is attached anew at once.");
	go_on(attachment, STATE_BACKOFF, "it is attached anew after %" PRIu64 ".%" PRIu64 " s.",
	      delay_us / 1000000, delay_us / 100000 % 10);
}

void attachment_give_up(struct attachment *attachment, unsigned nr_exits)
{
	if (nr_exits == 1)
		return go_on(attachment, STATE_FAILED, "'donorctl attach' tries again.");
	go_on(attachment, STATE_FAILED,
	      "that was the last of %u times, and the kernel's own scheduler stays; 'donorctl "
	      "exits' shows them, 'donorctl attach' tries again.",
	      nr_exits);
}

static enum attachment_news look_at_conflict(struct attachment *attachment, const char *before)
{
	if (attachment->kernel.enabled) {
		if (strcmp(before, attachment->kernel.ops) != 0) { /* one left, another came */
			attachment->rival_owner[0] = '\0';
			(void)attachment_contend(attachment);
		}
		return ATTACHMENT_SAME;
	}
	attachment->rival_owner[0] = '\0';
	if (attachment->state == STATE_CONFLICT)
		return ATTACHMENT_FREE;
	attachment->is_contested = false;
	return ATTACHMENT_SAME;
}

/*
 * The kernel says that it no longer runs us before ops.exit has written why, and the uevent comes
 * after. Wait for the record, but not for ever: a kernel in trouble may not call ops.exit. And
 * closing our link waits until the kernel is through with us: while it is not, that would block.
 */
static bool is_exit_settled(struct attachment *attachment)
{
	uint64_t now = now_us(CLOCK_MONOTONIC), waited;

	if (attachment->unsettled_since_us == 0)
		attachment->unsettled_since_us = now;
	waited = now - attachment->unsettled_since_us;
	if (!attachment->kernel.is_changing)
		return scheduler_exit(attachment->scheduler)->kind != 0 || waited > NO_RECORD_US;
	if (waited > SLOW_EXIT_US)
		attachment_set_state(
			attachment, STATE_FAILED,
			"The kernel is ending the scheduler and does not finish; donor can be "
			"attached again when it has, and if it never does, after a reboot.");
	return false;
}

enum attachment_news attachment_look(struct attachment *attachment)
{
	const struct kernel_state before = attachment->kernel;

	kernel_read(&attachment->kernel);
	if (attachment->scheduler && !scheduler_is_attached(attachment->scheduler)) {
		if (!is_exit_settled(attachment))
			return ATTACHMENT_UNSETTLED;
		return look_at_exit(attachment);
	}
	attachment->unsettled_since_us = 0;
	if (attachment->is_contested)
		return look_at_conflict(attachment, before.ops);
	return ATTACHMENT_SAME;
}
