/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* org.donor.Scheduler1: put the object on the bus, and announce what happens. */

int bus_scheduler_add(sd_bus *bus, struct manager *manager);

/* PropertiesChanged, once, with each property that differs; nothing if none does. */
int bus_scheduler_changed(sd_bus *bus, const struct status *before, const struct status *after);

int bus_scheduler_emit_mode_changed(sd_bus *bus, enum donor_mode before, enum donor_mode after,
				    const char *source, const char *reason);
int bus_scheduler_emit_donation_changed(sd_bus *bus, enum donor_hook hook, bool on,
					const char *reason);
int bus_scheduler_emit_attached(sd_bus *bus, const char *name, bool adopted);
int bus_scheduler_emit_exited(sd_bus *bus, const struct exit_info *last, bool will_retry);
