/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* org.donor.Scheduler1.Statistics on the same object. */
int bus_statistics_add(sd_bus *bus, struct manager *manager);
