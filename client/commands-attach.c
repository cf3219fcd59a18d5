/* SPDX-License-Identifier: GPL-2.0-only */
/* attach and detach. The service answers when the kernel has confirmed. */
#include <stdio.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "dbus/names.h"
#include "service/cleanup.h"

static int change(struct bus_client *client, const struct bus_method *method, const char *done)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	r = bus_client_call(client, method, &error, &reply, "a{sv}", 0);
	if (r < 0)
		return bus_complain(&error, r);
	puts(done);
	return STATUS_OK;
}

int command_attach(struct bus_client *client, char **words)
{
	static const struct bus_method attach = { DONOR_INTERFACE, "Attach", true, true };

	(void)words;
	return change(client, &attach, "attached");
}

int command_detach(struct bus_client *client, char **words)
{
	/* a service that has to be started for it would attach the scheduler first */
	static const struct bus_method detach = { DONOR_INTERFACE, "Detach", true, false };

	(void)words;
	return change(client, &detach, "detached");
}
