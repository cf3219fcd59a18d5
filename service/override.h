/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service/config.h"
#include "service/resolve.h"
#include "service/sender-text.h"
#include "service/state-file.h"

/*
 * The mode that a person chose, and what ends it: its release, a time, or the event it was chosen
 * until. Pure, but for the file that it is kept in.
 */
struct override {
	uint64_t since_us; /* CLOCK_REALTIME, as in files and on the bus */
	uint64_t ends_us;  /* the same; 0: at no time */
	uint32_t uid;
	enum donor_mode mode;
	enum override_until until;
	bool present;
	bool persist; /* outlives a reboot */
	char reason[SENDER_TEXT_BYTES]; /* may be empty */
};

/* The words on the bus and in donor.conf. -ENOENT */
int until_from_string(const char *word, enum override_until *ret);
const char *until_to_string(enum override_until until);

/* Does the event end it? A release does in any case, and is not asked about. */
bool override_ends_by(const struct override *override, enum override_until event);

/* What it has to say about the mode; not present if there is none. */
struct mode_candidate override_candidate(const struct override *override);

/* Its keys in a file, in memory: state_save() is due. One that is not present has none. -ENOMEM */
int override_store(const struct override *override, struct state_file *state);

/* As it was stored; not present if it was not, is damaged, or its time is over by now. */
struct override override_restore(const struct state_file *state, uint64_t now_us);
