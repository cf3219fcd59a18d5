/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * org.freedesktop.LogControl1 as systemd's manual describes it. Its properties have no
 * SD_BUS_VTABLE_UNPRIVILEGED: the bus library lets root alone write them.
 */

#include <errno.h>

#include "dbus/names.h"
#include "service/bus-log.h"
#include "service/log.h"

static int get_level(sd_bus *bus, const char *path, const char *interface, const char *property,
		     sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	return sd_bus_message_append(reply, "s", log_level_to_string(log_get_level()));
}

static int set_level(sd_bus *bus, const char *path, const char *interface, const char *property,
		     sd_bus_message *value, void *userdata, sd_bus_error *error)
{
	enum log_level level;
	const char *name;
	int r;

	r = sd_bus_message_read(value, "s", &name);
	if (r < 0)
		return r;
	if (log_level_from_string(name, &level) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "There is no log level '%s'; the levels are emerg, alert, "
					 "crit, err, warning, notice, info and debug.",
					 name);
	log_set_level(level);
	return 0;
}

static int get_target(sd_bus *bus, const char *path, const char *interface, const char *property,
		      sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	return sd_bus_message_append(reply, "s", log_target_to_string(log_get_target()));
}

static int set_target(sd_bus *bus, const char *path, const char *interface, const char *property,
		      sd_bus_message *value, void *userdata, sd_bus_error *error)
{
	const char *name;
	int r;

	r = sd_bus_message_read(value, "s", &name);
	if (r < 0)
		return r;
	if (log_set_target(name) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "There is no log target '%s'; the targets are auto, "
					 "console, journal and null.",
					 name);
	return 0;
}

static int get_identifier(sd_bus *bus, const char *path, const char *interface,
			  const char *property, sd_bus_message *reply, void *userdata,
			  sd_bus_error *error)
{
	return sd_bus_message_append(reply, "s", LOG_IDENTIFIER);
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_WRITABLE_PROPERTY("LogLevel", "s", get_level, set_level, 0, 0),
	SD_BUS_WRITABLE_PROPERTY("LogTarget", "s", get_target, set_target, 0, 0),
	SD_BUS_PROPERTY("SyslogIdentifier", "s", get_identifier, 0, 0),
	SD_BUS_VTABLE_END,
};

int bus_log_add(sd_bus *bus)
{
	return sd_bus_add_object_vtable(bus, NULL, LOG_CONTROL_OBJECT_PATH, LOG_CONTROL_INTERFACE,
					vtable, NULL);
}
