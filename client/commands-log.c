/* SPDX-License-Identifier: GPL-2.0-only */
/* log-level: the level of the running service, by org.freedesktop.LogControl1. */
#include <stdio.h>

#include "client/bus-error.h"
#include "client/choices.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/print.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

static int read_level(struct bus_client *client, sd_bus_error *ret_error,
		      sd_bus_message **ret_reply, const char **ret)
{
	static const struct bus_method get = { "org.freedesktop.DBus.Properties", "Get", false,
					       false, LOG_CONTROL_OBJECT_PATH };
	int r;

	r = bus_client_call(client, &get, ret_error, ret_reply, "ss", LOG_CONTROL_INTERFACE,
			    "LogLevel");
	return r < 0 ? r : sd_bus_message_read(*ret_reply, "v", "s", ret);
}

static int write_level(struct bus_client *client, sd_bus_error *ret_error, const char *level)
{
	static const struct bus_method set = { "org.freedesktop.DBus.Properties", "Set", true,
					       false, LOG_CONTROL_OBJECT_PATH };

	return bus_client_call(client, &set, ret_error, NULL, "ssv", LOG_CONTROL_INTERFACE,
			       "LogLevel", "s", level);
}

int command_log_level(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	struct json_object *object;
	const char *level;
	int r = 0;

	if (words[0] && !is_choice(words[0], level_choices))
		return complain_choice("log level", words[0], level_choices);
	if (words[0])
		r = write_level(client, &error, words[0]);
	if (r >= 0)
		r = read_level(client, &error, &reply, &level);
	if (r < 0)
		return bus_complain(&error, r);
	if (!client->options->json)
		return puts(safe(level)) < 0 ? STATUS_FAILED : STATUS_OK;
	object = json_object_new_object();
	json_add_text(object, "log_level", level);
	return json_print(client->options, object);
}
