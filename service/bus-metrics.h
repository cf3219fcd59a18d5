/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* GetMetrics of org.donor.Scheduler1.Statistics. */
int bus_metrics_add(sd_bus *bus, struct manager *manager);
