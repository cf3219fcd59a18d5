/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "service/attachment.h"
#include "service/topology.h"

/* enum scx_exit_kind and the fields of an exit code; these never changed their values. */
enum {
	EXIT_KIND_UNREG = 64,
	EXIT_KIND_SYSRQ = 67,
	EXIT_KIND_ERROR = 1024, /* this and above: something went wrong */
};
#define EXIT_CODE_ACTION_RESTART (1LL << 48)

/* A re-attached scheduler that ran this long has earned another automatic re-attach. */
#define STABLE_US (60 * 1000000ULL)

#define NO_RECORD_US (5 * 1000000ULL)
#define SLOW_EXIT_US (1 * 1000000ULL)

static uint64_t now_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

static void __attribute__((format(printf, 3, 4)))
set_state(struct attachment *attachment, enum service_state state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	attachment->state = state;
	(void)vsnprintf(attachment->reason, sizeof(attachment->reason), format, args);
	va_end(args);
}

/*
 * Texts of the kernel name tasks, and those name themselves as they like: what the bus would not
 * carry must not get there.
 */
static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[n] = '\0';
}

void attachment_done(struct attachment *attachment)
{
	attachment->scheduler = scheduler_free(attachment->scheduler);
	attachment->loaded = scheduler_free(attachment->loaded);
	attachment->stale = scheduler_free(attachment->stale);
	free(attachment->dump);
	attachment->dump = NULL;
}

void attachment_release(struct attachment *attachment)
{
	attachment->scheduler = scheduler_release(attachment->scheduler);
}

static int fail_unsupported(struct attachment *attachment, enum kernel_support support,
			    const char *reason)
{
	attachment->support = support;
	set_state(attachment, STATE_UNSUPPORTED, "%s", reason);
	return -EOPNOTSUPP;
}

static int fail_conflict(struct attachment *attachment)
{
	const char *name = attachment->kernel.ops;

	set_state(attachment, STATE_CONFLICT,
		  "The scheduler '%s' is attached, and the kernel runs only one; stop it, and "
		  "donor attaches by itself.",
		  name[0] ? name : "unknown");
	return -EBUSY;
}

static int fail_attach(struct attachment *attachment, int r, const struct scheduler_error *error)
{
	char why[STATUS_REASON_BYTES];

	if (error->text[0])
		(void)snprintf(why, sizeof(why), "%s", error->text);
	else
		(void)snprintf(why, sizeof(why), "The kernel did not take the scheduler: %s.",
			       strerror(-r));
	switch (r) {
	case -EOPNOTSUPP:
		return fail_unsupported(attachment, SUPPORT_NO_SCHED_EXT, why);
	case -ENODATA:
		return fail_unsupported(attachment, SUPPORT_NO_BTF, why);
	case -EBADF:
		return fail_unsupported(attachment, SUPPORT_MALFORMED_BTF, why);
	case -EBUSY: /* it came between our look and our attach */
		kernel_read(&attachment->kernel);
		return fail_conflict(attachment);
	case -EPERM:
		attachment->support = SUPPORT_NO_PRIVILEGE;
		break;
	}
	set_state(attachment, STATE_FAILED, "%s", why);
	return r == -EBADMSG ? r : -EIO;
}

static int fail_topology(struct attachment *attachment, int r)
{
	if (r == -E2BIG)
		set_state(attachment, STATE_FAILED,
			  "This machine has more than the %d CPUs or %d domains that donor was "
			  "built for.",
			  DONOR_MAX_CPUS, DONOR_MAX_DOMAINS);
	else
		set_state(attachment, STATE_FAILED, "The machine's topology cannot be read: %s",
			  strerror(-r));
	return -EIO;
}

static int check_support(struct attachment *attachment)
{
	kernel_read(&attachment->kernel);
	if (!attachment->kernel.has_sched_ext)
		return fail_unsupported(attachment, SUPPORT_NO_SCHED_EXT,
					"This kernel has no sched_ext; boot one that is built with "
					"CONFIG_SCHED_CLASS_EXT.");
	if (!attachment->kernel.has_btf)
		return fail_unsupported(attachment, SUPPORT_NO_BTF,
					"This kernel carries no BTF; boot one that is built with "
					"CONFIG_DEBUG_INFO_BTF.");
	return 0;
}

void attachment_rest(struct attachment *attachment, const char *reason)
{
	if (check_support(attachment) >= 0)
		set_state(attachment, STATE_DETACHED, "%s", reason);
}

void attachment_fail(struct attachment *attachment, const char *reason)
{
	set_state(attachment, STATE_FAILED, "%s", reason);
}

int attachment_begin(struct attachment *attachment)
{
	int r;

	r = check_support(attachment);
	if (r < 0)
		return r;
	if (attachment->kernel.enabled && !attachment->stale)
		return fail_conflict(attachment);
	set_state(attachment, STATE_ATTACHING, "The scheduler is being loaded.");
	return 0;
}

/* What was loaded before fits unless CPUs came or went: the kernel would eject it at once. */
static int make_loaded(struct attachment *attachment)
{
	const uint64_t hotplug_seq = attachment->kernel.hotplug_seq;
	struct scheduler_error error = {};
	struct donor_topology topology; /* read anew: CPUs come and go */
	int r;

	if (attachment->loaded && scheduler_topology(attachment->loaded)->hotplug_seq == hotplug_seq)
		return 0;
	attachment->loaded = scheduler_free(attachment->loaded);
	if (!scheduler_can_load())
		return -ERESTART;
	r = topology_read(NULL, &topology);
	if (r < 0)
		return fail_topology(attachment, r);
	topology.hotplug_seq = hotplug_seq;
	r = scheduler_load(&topology, &attachment->loaded, &error);
	return r < 0 ? fail_attach(attachment, r, &error) : 0;
}

static void set_attached(struct attachment *attachment, bool adopted, const char *reason)
{
	kernel_read(&attachment->kernel);
	attachment->support = SUPPORT_OK;
	attachment->attached_since_us = scheduler_machine(attachment->scheduler)->attached_at_us;
	attachment->adopted = adopted;
	set_state(attachment, STATE_ATTACHED, "%s", reason);
}

int attachment_attach(struct attachment *attachment, const struct donor_params *params)
{
	bool replaces = attachment->stale;
	struct scheduler_error error = {};
	int r;

	r = make_loaded(attachment);
	attachment->stale = scheduler_free(attachment->stale);
	if (r < 0)
		return r;
	r = scheduler_attach(attachment->loaded, params, &error);
	if (r < 0) {
		if (r != -EBUSY)
			attachment->loaded = scheduler_free(attachment->loaded);
		return fail_attach(attachment, r, &error);
	}
	attachment->scheduler = steal_pointer(attachment->loaded);
	set_attached(attachment, false,
		     replaces ? "The kernel runs donor; the scheduler of another version ran "
				"before and was replaced."
			      : "The kernel runs donor.");
	return 0;
}

int attachment_adopt(struct attachment *attachment, struct scheduler_fd fds[], unsigned nr)
{
	struct scheduler *scheduler = NULL;
	int r;

	r = scheduler_adopt(fds, nr, &scheduler);
	if (r < 0) {
		attachment->stale = scheduler;
		return r;
	}
	attachment->scheduler = scheduler;
	set_attached(attachment, true,
		     "The kernel runs donor; it stayed attached while the service was restarted.");
	return 0;
}

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
	struct last_exit *last = &attachment->last_exit;

	*last = (struct last_exit){
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

	if (attachment->state != STATE_ATTACHED && attachment->state != STATE_CONFLICT)
		return -ENOLINK;
	if (attachment->unsettled_since_us != 0) /* being ejected: see is_exit_settled() */
		return -ENOLINK;
	if (attachment->scheduler)
		end_scheduler(attachment, EXIT_KIND_UNREG, 0, who, "");
	(void)snprintf(reason, sizeof(reason),
		       "Detached on request (%s); 'donorctl attach' attaches again.", who);
	attachment_rest(attachment, reason);
	return 0;
}

static enum attachment_news look_at_exit(struct attachment *attachment)
{
	const struct donor_exit record = *scheduler_exit(attachment->scheduler);
	const struct last_exit *last = &attachment->last_exit;

	free(attachment->dump);
	attachment->dump = strndup(record.dump, sizeof(record.dump));
	if (ran_for_us(attachment) > STABLE_US)
		attachment->restarted = false;
	end_scheduler(attachment, record.kind, record.code, record.reason, record.message);
	if (record.kind == EXIT_KIND_SYSRQ) {
		set_state(attachment, STATE_DETACHED,
			  "An administrator switched sched_ext schedulers off with sysrq-S; "
			  "'donorctl attach' brings donor back.");
		return ATTACHMENT_EXITED;
	}
	set_state(attachment, STATE_FAILED,
		  "The kernel ended the scheduler: %s%s%s; "
		  "'donorctl attach' tries again.",
		  last->reason[0] ? last->reason : last->kind, last->message[0] ? ": " : "",
		  last->message);
	if (!(record.code & EXIT_CODE_ACTION_RESTART) || attachment->restarted)
		return ATTACHMENT_EXITED;
	attachment->restarted = true;
	return ATTACHMENT_EXITED_RESTART;
}

static enum attachment_news look_at_conflict(struct attachment *attachment, const char *before)
{
	if (!attachment->kernel.enabled)
		return ATTACHMENT_FREE;
	if (strcmp(before, attachment->kernel.ops) != 0)
		(void)fail_conflict(attachment); /* one left, another came: name that one */
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
		set_state(attachment, STATE_FAILED,
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
	if (attachment->state == STATE_CONFLICT)
		return look_at_conflict(attachment, before.ops);
	return ATTACHMENT_SAME;
}

void attachment_status(const struct attachment *attachment, const struct wish *wish,
		       struct status *ret)
{
	const struct donor_params *effective =
		attachment->scheduler ? scheduler_params(attachment->scheduler) : NULL;
	const struct donor_params wished = wish_to_params(wish);

	*ret = (struct status){
		.support = attachment->support,
		.state = attachment->state,
		.mode = effective ? effective->mode : wished.mode,
		.last_exit = attachment->last_exit,
		.attached_since_us = attachment->attached_since_us,
		.adopted = attachment->adopted,
	};
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		ret->donation[hook] = params_donation(&wished, hook);
		ret->effective[hook] = effective && params_donation(effective, hook);
	}
	copy_text(ret->reason, sizeof(ret->reason), attachment->reason);
	copy_text(ret->scheduler_name, sizeof(ret->scheduler_name), attachment->kernel.ops);
	copy_text(ret->foreign, sizeof(ret->foreign),
		  attachment->scheduler ? "" : attachment->kernel.ops);
}
