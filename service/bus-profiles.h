/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"
#include "service/power-profiles.h"

/*
 * The interface of power-profiles-daemon, under its new and its old name, as donor serves it where
 * nobody else does. It is there as long as this object is.
 */
struct bus_profiles;

/* chosen: what a person has chosen when donor last provided profiles; empty: nothing. */
int bus_profiles_new(struct bus_profiles **ret, sd_bus *bus, struct manager *manager,
		     const char *chosen);
struct bus_profiles *bus_profiles_free(struct bus_profiles *profiles);
DEFINE_CLEANUP(struct bus_profiles *, bus_profiles_free);

/* As another provider would show it. While nobody has chosen one, the profile is the mode's. */
struct profile_state bus_profiles_state(const struct bus_profiles *profiles);

/* Announce the profile, if it is another one than was announced last. */
void bus_profiles_announce(struct bus_profiles *profiles);
