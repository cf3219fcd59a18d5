/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* org.donor.Scheduler1: what the files say, and reading them again. */

int bus_config_add(sd_bus *bus, struct manager *manager);
int bus_config_emit_files_changed(sd_bus *bus);
