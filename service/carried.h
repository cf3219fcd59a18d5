/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/fd-store.h"
#include "service/status.h"

/*
 * What one donord leaves to the next when it is killed or restarted: a page of memory that systemd
 * keeps. What is written here is left at once, for a kill does not wait. It ends with a stop.
 */

enum carried_wish {
	CARRIED_NOTHING, /* the configuration decides */
	CARRIED_ATTACH,
	CARRIED_REST, /* stay detached, for the reason that is carried as well */
};

enum { CARRIED_RESTARTS = 8 };
#define CARRIED_WINDOW_US (300 * 1000000ULL)

struct carried {
	uint64_t layout; /* another build may carry something else */
	enum carried_wish wish;
	char reason[STATUS_REASON_BYTES];
	uint64_t restarts_us[CARRIED_RESTARTS]; /* CLOCK_MONOTONIC of the last ones, 0: never */
};

/*
 * What was left to us, or nothing but zeroes. On failure *ret is still good, but will be left to
 * nobody.
 */
int carried_open(struct fd_store *store, struct carried **ret);
struct carried *carried_close(struct carried *carried);

/*
 * May donord restart itself now? 0: yes, and it is counted. Else the time until it may: systemd's
 * start limit has room for so many, and it is the last resort against a service that crashes.
 */
uint64_t carried_count_restart(struct carried *carried, uint64_t now_us);

/* A person says that it may. */
void carried_forget_restarts(struct carried *carried);
