/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "client/statistics.h"

/* For checks before the service is asked; the list ends with NULL. */
extern const char *const mode_names[];
bool is_mode(const char *name); /* with the aliases */

struct mode {
	const char *name;
	const char *description;
	struct counters parameters;
};

/* The property Modes. */
struct modes {
	sd_bus_message *reply; /* owns the strings */
	size_t nr;
	struct mode *list;
};

/* A negative errno and ret_error as from bus_client_call(). */
int modes_read(struct bus_client *client, sd_bus_error *ret_error, struct modes *ret);
void modes_done(struct modes *modes);
