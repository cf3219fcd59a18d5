/* SPDX-License-Identifier: GPL-2.0-only */
/* set and release: the mode that a person chooses. */
#include <stdio.h>
#include <string.h>

#include "client/bus-error.h"
#include "client/choices.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/modes.h"
#include "client/mode-text.h"
#include "client/service-state.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

static int append_options(sd_bus_message *message, const struct options *options)
{
	int r = 0;

	if (options->given & OPTION_UNTIL)
		r = sd_bus_message_append(message, "{sv}", "until", "s", options->until);
	if (r >= 0 && options->given & OPTION_FOR)
		r = sd_bus_message_append(message, "{sv}", "timeout-usec", "t", options->for_usec);
	if (r >= 0 && options->given & OPTION_PERSIST)
		r = sd_bus_message_append(message, "{sv}", "persist", "b", 1);
	if (r >= 0 && options->given & OPTION_REASON)
		r = sd_bus_message_append(message, "{sv}", "reason", "s", options->reason);
	if (r >= 0 && options->given & OPTION_KEEP_HOLDS)
		r = sd_bus_message_append(message, "{sv}", "keep-holds", "b", 1);
	return r;
}

struct choice {
	const char *mode;
	const struct options *options;
};

static int append_choice(sd_bus_message *message, const void *userdata)
{
	const struct choice *choice = userdata;
	int r;

	r = sd_bus_message_append(message, "s", choice->mode);
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(message, 'a', "{sv}");
	if (r < 0)
		return r;
	r = append_options(message, choice->options);
	return r < 0 ? r : sd_bus_message_close_container(message);
}

/* Where the choice is not what the kernel does, say why. */
static int print_effect(struct bus_client *client, const char *effective)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	int r;

	puts(safe(effective));
	r = service_state_read(client, &error, &state);
	if (r < 0)
		return bus_complain(&error, r);
	if (*state.override.mode && strcmp(state.mode_source, "override"))
		printf("%s is chosen, but has to wait: %s is in force from %s: %s\n",
		       safe(state.override.mode), safe(state.mode), safe(state.mode_source),
		       safe(state.mode_reason));
	if (!service_state_is_attached(&state))
		printf("It takes effect when donor is attached: donorctl attach\n");
	return STATUS_OK;
}

int command_set(struct bus_client *client, char **words)
{
	static const struct bus_method set_mode = { DONOR_INTERFACE, "SetMode", true, true };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct choice choice = { words[0], client->options };
	const char *effective;
	int r;

	if (!is_mode(words[0]))
		return complain_choice("mode", words[0], mode_names);
	if (client->options->until && !is_choice(client->options->until, event_choices))
		return complain_choice("event", client->options->until, event_choices);
	r = bus_client_call_with(client, &set_mode, &error, &reply, append_choice, &choice);
	if (r >= 0)
		r = sd_bus_message_read(reply, "s", &effective);
	return r < 0 ? bus_complain(&error, r) : print_effect(client, effective);
}

int command_release(struct bus_client *client, char **words)
{
	static const struct bus_method release = { DONOR_INTERFACE, "ReleaseOverride", true, false };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *effective;
	int r;

	(void)words;
	r = bus_client_call(client, &release, &error, &reply, NULL);
	if (r >= 0)
		r = sd_bus_message_read(reply, "s", &effective);
	return r < 0 ? bus_complain(&error, r) : print_effect(client, effective);
}
