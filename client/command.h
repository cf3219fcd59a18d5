/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>

#include "client/bus-client.h"

/* One line of the table in donorctl.c, from which help, checks and completion are made. */
struct command {
	const char *name;
	const char *words; /* as the help shows them */
	int least;
	int most;
	unsigned int options; /* enum option_flag that it knows */
	const char *help;
	int (*run)(struct bus_client *client, char **words);
};

extern const struct command commands[];
extern const size_t nr_commands;

/* NULL: there is none of that name. */
const struct command *command_find(const char *name);
