/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi.h"

/*
 * When a mode that nobody asked for by hand comes into force: once it has been wanted for a while,
 * not soon after the one before, and not over and over. Pure: the time is an argument.
 */

enum { SETTLE_CHANGES = 6 }; /* so many a minute are let pass */

struct settle {
	uint64_t settle_us; /* SettleMSec= */
	enum donor_mode applied;
	uint64_t asked_us; /* since when another mode is asked for; 0: none is */
	uint64_t changes_us[SETTLE_CHANGES]; /* when the last ones were, the newest first */
	uint64_t held_until_us; /* no mode that takes more power before this; 0: no bound */
};

struct settle_answer {
	bool apply; /* now; also when nothing changes */
	bool flaps; /* too many changes: held from now on. True once per hold. */
	uint64_t again_us; /* when to ask again; 0: not before another mode is asked for */
};

/* The sources now ask for this mode. */
struct settle_answer settle_ask(struct settle *settle, enum donor_mode mode, uint64_t now_us);

/* A person or the administrator decided: this mode is in force, and what was before is forgotten. */
void settle_reset(struct settle *settle, enum donor_mode mode);
