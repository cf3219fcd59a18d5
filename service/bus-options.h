/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* The last argument of our methods, a{sv}: how they grow. */

/* One option that a method knows. A list of them ends with an empty one. */
struct bus_option {
	const char *name;
	char type; /* SD_BUS_TYPE_BOOLEAN, _STRING, _UINT64 or _UNIX_FD */
	/*
	 * int *, const char **, uint64_t * or int *; untouched if the option is not given. Strings
	 * and descriptors are the message's.
	 */
	void *ret;
};

/* What the method does not know is an error, not ignored. NULL: it knows none yet. */
int bus_options_read(sd_bus_message *message, const struct bus_option known[], sd_bus_error *error);
