/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/*
 * SIGTERM looks the same to a service that is stopped and to one that is restarted. systemd knows.
 *
 * Returns whether our unit is being restarted; a negative errno if systemd is there and does not
 * tell.
 */
int bus_systemd_is_restarting(sd_bus *bus);
