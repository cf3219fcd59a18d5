/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "service/bus-error.h"
#include "service/bus-options.h"

static const char *type_word(char type)
{
	switch (type) {
	case SD_BUS_TYPE_BOOLEAN:
		return "a boolean";
	case SD_BUS_TYPE_STRING:
		return "a string";
	case SD_BUS_TYPE_UINT64:
		return "a number of type t";
	case SD_BUS_TYPE_UNIX_FD:
		return "a file descriptor";
	}
	return "of another type";
}

static const struct bus_option *find(const struct bus_option known[], const char *name)
{
	for (; known && known->name; known++)
		if (strcmp(known->name, name) == 0)
			return known;
	return NULL;
}

static int read_option(sd_bus_message *message, const struct bus_option known[], sd_bus_error *error)
{
	const struct bus_option *option;
	const char *name;
	int r;

	r = sd_bus_message_read(message, "s", &name);
	if (r < 0)
		return r;
	option = find(known, name);
	if (!option)
		return bus_error_no_such_option(error, name);
	r = sd_bus_message_read(message, "v", (char[]){ option->type, '\0' }, option->ret);
	if (r == -ENXIO)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS, "The option '%s' is %s.",
					 name, type_word(option->type));
	return r;
}

int bus_options_read(sd_bus_message *message, const struct bus_option known[], sd_bus_error *error)
{
	int r;

	r = sd_bus_message_enter_container(message, 'a', "{sv}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
		r = read_option(message, known, error);
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(message);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : sd_bus_message_exit_container(message);
}
