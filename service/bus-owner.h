/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* Which service is likely to have attached another scheduler: systemd is asked. */

/* The unit's name, or NULL if none that is known for it is active, or systemd does not say. */
typedef void (*owner_handler_t)(void *userdata, const char *unit);

/* Returns at once; the handler is called once, unless the slot is freed before. */
int bus_owner_ask(sd_bus *bus, sd_bus_slot **ret, owner_handler_t handler, void *userdata);
