/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/manager.h"

/* org.donor.Scheduler1: the mode, who chose it, and a person's choice. */
int bus_mode_add(sd_bus *bus, struct manager *manager);
