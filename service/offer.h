/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service/config.h"
#include "service/power-profiles.h"
#include "service/sender-text.h"

/*
 * The power profiles that donor itself offers: the one that a person chose, and programs that hold
 * another one meanwhile. Of the programs' profiles power-saver wins. Pure.
 */

struct offer_hold {
	uint32_t cookie;
	unsigned profile; /* index in profile_names */
	uid_t uid;
	char reason[SENDER_TEXT_BYTES];
	char application[SENDER_TEXT_BYTES];
	unsigned interface; /* where it was asked for */
	void *owner; /* the caller's */
	struct offer_hold *next;
};

struct offer {
	bool is_chosen;
	unsigned chosen;
	struct offer_hold *holds; /* the newest first */
};

/* Whether somebody has a say; then *ret is the profile in force. */
bool offer_active(const struct offer *offer, unsigned *ret);

/* -EUSERS: so many are not allowed, to this user or at all. The result is zeroed but for these. */
int offer_hold_new(struct offer *offer, const struct request_config *limits, uid_t uid,
		   unsigned profile, struct offer_hold **ret);
struct offer_hold *offer_hold_find(const struct offer *offer, uint32_t cookie);
void offer_hold_free(struct offer *offer, struct offer_hold *hold);

/* -ENOENT: no such profile. */
int profile_from_string(const char *name, unsigned *ret);
