/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <systemd/sd-bus.h>

/* Who sent a message. */
struct bus_caller {
	uint32_t uid; /* (uid_t)-1 if the bus does not tell */
	char who[64]; /* for log and signals: "SetMode by uid 1000" */
};

struct bus_caller bus_caller(sd_bus_message *message);
