/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* How the scheduler ended, when it is attached again, and who is in its way. */

int bus_exits_add(sd_bus *bus, struct manager *manager);

int bus_emit_conflict(sd_bus *bus, const char *foreign, bool cleared);
