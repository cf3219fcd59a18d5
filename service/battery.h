/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/bus-peer.h"
#include "service/config.h"
#include "service/resolve.h"

/* What UPower says of battery and mains. It tells more often than anything changes. */

struct battery_state {
	bool is_known; /* UPower is there */
	bool on_battery;
	bool has_battery; /* one that feeds the computer, not a mouse's */
	double percentage;
};

/*
 * Whether the battery counts as low: from LowPercent= downwards, until it is Hysteresis= above it,
 * or the computer is on mains. Pure: was_low is what this said last.
 */
bool battery_is_low(const struct automatic_config *config, const struct battery_state *state,
		    bool was_low);

/* What a state amounts to. Pure. */
void battery_candidate(const struct automatic_config *config, const struct battery_state *state,
		       struct mode_candidate *ret);
void battery_low_candidate(const struct automatic_config *config, bool is_low,
			   struct mode_candidate *ret);

/* Following. */
struct battery;

int battery_new(struct battery **ret, sd_bus *bus, peer_handler_t handler, void *userdata);
struct battery *battery_free(struct battery *battery);
DEFINE_CLEANUP(struct battery *, battery_free);

/* Have UPower started, if it is not: without a desktop nobody else does. */
int battery_wake(struct battery *battery);

struct battery_state battery_state(const struct battery *battery);
