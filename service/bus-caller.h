/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* Who called what, for the log and the signals: "SetMode by uid 1000". Returns buf. */
const char *bus_caller(sd_bus_message *message, char *buf, size_t size);
