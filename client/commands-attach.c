/* SPDX-License-Identifier: GPL-2.0-only */
/* attach and detach. The service answers when the kernel has confirmed. */
#include <stdio.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "dbus/names.h"
#include "service/cleanup.h"
#include "service/duration.h"

enum { RESTART_SEC = 60 }; /* as a whole attach may take on a slow machine */

/* It goes away to load the scheduler anew, and attaches when it is back. */
static int wait_for_restart(struct bus_client *client)
{
	const struct options *options = client->options;
	struct options bounded = *options;
	char word[] = "attached", *words[] = { word, NULL };
	int status;

	if (!bounded.has_timeout)
		bounded.timeout_usec = RESTART_SEC * USEC_PER_SEC;
	bounded.has_timeout = true;
	client->options = &bounded;
	status = command_wait(client, words);
	client->options = options;
	return status;
}

static int change(struct bus_client *client, const struct bus_method *method, const char *done)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	r = bus_client_call(client, method, &error, &reply, "a{sv}", 0);
	if (sd_bus_error_has_name(&error, DONOR_ERROR_RESTARTING))
		r = wait_for_restart(client);
	else
		r = r < 0 ? bus_complain(&error, r) : STATUS_OK;
	if (r == STATUS_OK)
		puts(done);
	return r;
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
