/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "service/process-id.h"
#include "service/resolve.h"
#include "service/sender-text.h"

/* The modes that programs hold: a table, and what it has to say about the mode. */

struct hold_watch; /* see holds-watch.h */

struct hold {
	uint32_t cookie; /* random, so that nobody guesses another's; never 0 */
	uint32_t uid;
	enum donor_mode mode;
	bool soft; /* yields to a person's choice */
	uint64_t since_us; /* CLOCK_REALTIME */
	uint64_t timeout_us; /* 0: it has no end of its own */
	uint64_t ends_us; /* CLOCK_BOOTTIME; 0: the same */
	bool of_process; /* lasts as long as this one, not as long as its owner */
	struct process_id process;
	char reason[SENDER_TEXT_BYTES];
	char application[SENDER_TEXT_BYTES];
	char owner[256]; /* unique name on the bus; empty: it was on another one */
	struct hold_watch *watch; /* not of the table: whoever removes the hold frees it before */
};

struct holds {
	struct hold **list; /* oldest first */
	unsigned nr;
};

/* Why a hold ended. */
enum hold_end {
	HOLD_RELEASED,
	HOLD_OVERRIDDEN, /* by a person's choice */
	HOLD_TIMED_OUT,
	HOLD_OWNER_LEFT,
	HOLD_PROCESS_ENDED,
	_HOLD_END_MAX,
};

const char *hold_end_to_string(enum hold_end end);

/* A copy of the request with a cookie. -EUSERS: that user, or all together, have too many. */
int holds_add(struct holds *holds, const struct hold *request, unsigned max_per_uid, unsigned max,
	      struct hold **ret);
/* A copy of it as it is. -ENOMEM */
int holds_take(struct holds *holds, const struct hold *hold, struct hold **ret);

/* Are there too many, of those up to and with this place? */
bool holds_exceed(const struct holds *holds, unsigned place, unsigned max_per_uid, unsigned max);

struct hold *holds_find(const struct holds *holds, uint32_t cookie);
void holds_remove(struct holds *holds, struct hold *hold);
void holds_done(struct holds *holds);

/* The candidates of both kinds of holds, as if `except` were none of them; it may be NULL. */
void holds_candidates(const struct holds *holds, const struct hold *except,
		      struct mode_inputs *inputs);
