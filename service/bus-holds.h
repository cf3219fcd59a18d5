/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* org.donor.Scheduler1: the modes that programs hold. */

int bus_holds_add(sd_bus *bus, struct manager *manager);

/* HoldReleased, to the owner alone: nobody else is to know cookies. */
int bus_holds_emit_released(sd_bus *bus, const struct hold *hold, const char *why);
