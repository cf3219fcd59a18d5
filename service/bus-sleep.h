/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* Tells when the machine woke up from sleep, as logind announces it. */

typedef void (*resume_handler_t)(void *userdata);

/* The handler is called until the slot is freed; which has to be before the userdata goes. */
int bus_sleep_watch(sd_bus *bus, sd_bus_slot **ret, resume_handler_t handler, void *userdata);
