/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* org.freedesktop.LogControl1, for `systemctl service-log-level donord debug`. */
int bus_log_add(sd_bus *bus);
