/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/manager.h"

/* org.donor.Scheduler1: what chooses the mode by itself. */
int bus_automatic_add(sd_bus *bus, struct manager *manager);
