/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/manager.h"

/* Getters of properties; the userdata of each object is the manager. */

#define PROPERTY(name)                                                                             \
	static int property_##name(sd_bus *bus, const char *path, const char *interface,           \
				   const char *property, sd_bus_message *reply, void *userdata,    \
				   sd_bus_error *error)

/* A property that is one value of the status. */
#define STATUS_PROPERTY(name, type, value)                                                         \
	PROPERTY(name)                                                                             \
	{                                                                                          \
		const struct status *status = manager_status(userdata);                            \
                                                                                                   \
		return sd_bus_message_append(reply, type, value);                                  \
	}

#define EMITS SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
#define CONST SD_BUS_VTABLE_PROPERTY_CONST
