/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/bus-peer.h"
#include "service/config.h"
#include "service/resolve.h"

/*
 * The power profile that the desktop has chosen, from whoever provides it: power-profiles-daemon,
 * tuned-ppd and others serve the same interface, under a new name, an old one, or both.
 */

enum { PROFILE_BYTES = 64 };

struct profile_state {
	const char *provider; /* the name it has on the bus; NULL: there is none */
	bool is_idle; /* nobody has chosen a profile: this one follows the mode */
	char version[PROFILE_BYTES];
	char profile[PROFILE_BYTES];
	char degraded[PROFILE_BYTES]; /* why performance is; empty: it is not */
};

/* The profiles by the names that the interface gives them, in the order of struct config. */
extern const char *const profile_names[NR_POWER_PROFILES];

/* What a state amounts to. Pure. */
void profile_candidate(const struct automatic_config *config, const struct profile_state *state,
		       struct mode_candidate *ret);
void profile_cap(const struct automatic_config *config, const struct profile_state *state,
		 struct mode_inputs *inputs);

/* Following. */
struct power_profiles;

int power_profiles_new(struct power_profiles **ret, sd_bus *bus, peer_handler_t handler,
		       void *userdata);
struct power_profiles *power_profiles_free(struct power_profiles *profiles);
DEFINE_CLEANUP(struct power_profiles *, power_profiles_free);

/* Whether another process has one of the two names, although it may not have answered yet. */
bool power_profiles_have_owner(const struct power_profiles *profiles);

struct profile_state power_profiles_state(const struct power_profiles *profiles);
