/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

#include "service/manager.h"

/* org.donor.Scheduler1: single parameters. */

int bus_parameters_add(sd_bus *bus, struct manager *manager);

/*
 * ParametersChanged with those that have another value in the same mode, if there are any. The
 * switches of donation have a signal of their own, and so has the mode.
 */
int bus_parameters_emit_changed(sd_bus *bus, const struct status *before,
				const struct status *after, const char *reason);
