/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* How failures look on the bus: a name of dbus/names.h, and cause and next step in a sentence. */

/* The one table from errno to name; r is negative, and so is the result. */
int bus_error_set(sd_bus_error *error, int r, const char *text);

int bus_error_no_such_mode(sd_bus_error *error, const char *name);
int bus_error_no_such_hook(sd_bus_error *error, const char *name);
/* 0 if the text may be shown to others, see sender-text.h. */
int bus_error_check_text(sd_bus_error *error, const char *name, const char *text);

int bus_error_no_such_option(sd_bus_error *error, const char *name);
