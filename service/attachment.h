/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "service/exits.h"
#include "service/kernel.h"
#include "service/mode.h"
#include "service/scheduler.h"
#include "service/status.h"

enum { UNIT_NAME_BYTES = 64 };

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
	struct exit_info last_exit;
	enum exit_cause last_cause; /* of the last exit, or attempt that failed */
	char *dump; /* the kernel's dump at the last ejection; may be NULL */
	uint64_t attached_since_us;
	bool adopted; /* another process attached it */
	uint64_t unsettled_since_us; /* when an unfinished ejection was first seen, or 0 */
	bool is_contested; /* another scheduler keeps us from attaching, or did until just now */
	bool waits;    /* attach when it has left, rather than fail */
	char rival_owner[UNIT_NAME_BYTES]; /* the unit that is likely to be behind it, or empty */
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
 * Stay as it is until asked to attach: detached, or failed if somebody should see to it. A kernel
 * that cannot run donor is found out here, too, and then is the state.
 */
void attachment_rest(struct attachment *attachment, enum service_state state, const char *reason);

/* After an exit, or an attempt that failed: it is attached again after this time, or no more. */
void attachment_back_off(struct attachment *attachment, uint64_t delay_us);
void attachment_give_up(struct attachment *attachment, unsigned nr_exits);

/*
 * To attach takes two calls, so that the first part's result can be shown while the second blocks.
 * Begin finds out what can be known before the kernel is troubled, and then is attaching. On
 * failure of either, state and reason say why, and the result is that of failure.h, or
 * -ERESTART: it has to be loaded, and this process has given up the right to.
 */
int attachment_begin(struct attachment *attachment);
int attachment_attach(struct attachment *attachment, const struct donor_params *params);

/* Detach, or stop waiting. -ENOLINK: neither attached nor waiting. */
int attachment_detach(struct attachment *attachment, const char *who);

/* What attachment_look() found. */
enum attachment_news {
	ATTACHMENT_SAME,
	ATTACHMENT_UNSETTLED, /* the kernel is between two states: look again soon */
	ATTACHMENT_FREE,	 /* was in conflict, and the other scheduler has left */
	ATTACHMENT_EXITED,	   /* the kernel ejected us; last_exit and last_cause say why */
};

/* Compare with the kernel. After an ejection our side is freed and the state is decided. */
enum attachment_news attachment_look(struct attachment *attachment);

/* The other scheduler that keeps us from attaching, or an empty name. */
const char *attachment_rival(const struct attachment *attachment);

/* The unit that is likely to have attached it. */
void attachment_name_owner(struct attachment *attachment, const char *unit);

/* All of it as the world is to see it. */
void attachment_status(const struct attachment *attachment, const struct wish *wish,
		       struct status *ret);
