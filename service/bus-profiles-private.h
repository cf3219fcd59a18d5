/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/bus-profiles.h"
#include "service/offer.h"

/* The inside of bus-profiles*.c. */

enum { NR_PROFILES_ENDS = 2 };

/* The new name and the old one. */
extern const struct profiles_end {
	const char *path, *interface;
} profiles_ends[NR_PROFILES_ENDS];

struct bus_profiles {
	sd_bus *bus;
	struct manager *manager;
	struct offer offer;
	unsigned announced; /* the profile that the bus was told last */
	sd_bus_slot *gates[NR_PROFILES_ENDS], *vtables[NR_PROFILES_ENDS];
};

/* The property changed. */
void profiles_emit(struct bus_profiles *profiles, const char *property);

int profiles_no_such(sd_bus_error *error, const char *name);

/* Release all, and tell the holders. */
void profiles_end_holds(struct bus_profiles *profiles);

/* HoldProfile and ReleaseProfile; userdata is a struct bus_profiles. */
int profiles_hold(sd_bus_message *message, void *userdata, sd_bus_error *error);
int profiles_release(sd_bus_message *message, void *userdata, sd_bus_error *error);
