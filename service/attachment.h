/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "service/kernel.h"
#include "service/mode.h"
#include "service/scheduler.h"
#include "service/status.h"

/*
 * The scheduler as the service sees it over time: attached, waiting for another one to leave,
 * ejected, and why. It knows no bus, no timers and no log: the manager asks and acts.
 */
struct attachment {
	struct scheduler *scheduler; /* NULL unless attached, or the kernel is still ending it */
	struct scheduler *loaded; /* not attached, and ready to be */
	struct scheduler *stale; /* attached by another build; goes when ours is loaded */
	struct kernel_state kernel;  /* as last read */
	enum service_state state;
	enum kernel_support support;
	char reason[STATUS_REASON_BYTES];
	struct last_exit last_exit;
	char *dump; /* the kernel's dump at the last ejection, for the log; may be NULL */
	uint64_t attached_since_us;
	bool adopted; /* another process attached it */
	uint64_t unsettled_since_us; /* when an unfinished ejection was first seen, or 0 */
	bool restarted; /* the one automatic re-attach is used up */
};

/* Detach and free. */
void attachment_done(struct attachment *attachment);

/* Free, but leave attached what systemd keeps. */
void attachment_release(struct attachment *attachment);

/*
 * Take over what another process left attached, if anything: then we are attached, or were until
 * the kernel ejected us, which attachment_look() finds out. On failure the rest is for
 * attachment_attach() to replace. Errors as of scheduler_adopt().
 */
int attachment_adopt(struct attachment *attachment, struct scheduler_fd fds[], unsigned nr);

/*
 * Stay detached until asked to attach. A kernel that cannot run donor is found out here, too, and
 * then is the state.
 */
void attachment_rest(struct attachment *attachment, const char *reason);

/*
 * To attach takes two calls, so that the first part's result can be shown while the second blocks.
 * Begin finds out what can be known before the kernel is troubled, and then is attaching. On
 * failure of either, state and reason say why, and the result is one of
 *
 *   -EOPNOTSUPP  this kernel cannot run donor
 *   -EBUSY       another scheduler is attached
 *   -EBADMSG     the verifier refused the program
 *   -EIO         anything else
 *   -ERESTART    it has to be loaded, and this process has given up the right to
 */
int attachment_begin(struct attachment *attachment);
int attachment_attach(struct attachment *attachment, const struct donor_params *params);

/* Failed, for a reason that the caller knows. */
void attachment_fail(struct attachment *attachment, const char *reason);

/* Detach, or stop waiting for another to leave. -ENOLINK: neither attached nor waiting. */
int attachment_detach(struct attachment *attachment, const char *who);

/* What attachment_look() found. */
enum attachment_news {
	ATTACHMENT_SAME,
	ATTACHMENT_UNSETTLED,    /* the kernel is between two states: look again soon */
	ATTACHMENT_FREE,	 /* was in conflict, and the other scheduler has left */
	ATTACHMENT_EXITED,	   /* the kernel ejected us; last_exit says why */
	ATTACHMENT_EXITED_RESTART, /* the same, and attaching anew is the answer */
};

/* Compare with the kernel. After an ejection our side is freed and the state is decided. */
enum attachment_news attachment_look(struct attachment *attachment);

/* All of it as the world is to see it. */
void attachment_status(const struct attachment *attachment, const struct wish *wish,
		       struct status *ret);
