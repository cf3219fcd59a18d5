/* SPDX-License-Identifier: GPL-2.0-only */
/* holds and run: the modes that programs hold. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/modes.h"
#include "client/mode-text.h"
#include "client/print.h"
#include "client/service-state.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"
#include "service/duration.h"

static void add_since(struct table *table, uint64_t since_usec)
{
	uint64_t now_usec = (uint64_t)time(NULL) * USEC_PER_SEC;
	char text[64];

	/* whole seconds; another machine's clock may be ahead of ours */
	table_add_text(table,
		       duration_format(now_usec > since_usec ? (now_usec - since_usec) /
								       USEC_PER_SEC * USEC_PER_SEC
							     : 0,
				       text, sizeof(text)));
}

static int print_holds(const struct options *options, const struct service_state *state)
{
	static const struct column columns[] = { { "MODE", false }, { "APPLICATION", false },
						 { "UID", true },   { "FOR", true },
						 { "SOFT", false }, { "REASON", false } };
	struct table *table = table_new(options);

	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < state->nr_holds; i++) {
		const struct hold *hold = &state->holds[i];

		table_add_row(table);
		table_add_text(table, hold->mode);
		table_add_text(table, hold->application);
		table_add_number(table, hold->uid);
		add_since(table, hold->since_usec);
		table_add_text(table, hold->soft ? "yes" : "no");
		table_add_text(table, hold->reason);
	}
	return table_print(table);
}

int command_holds(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	struct json_object *object;
	int r;

	(void)words;
	r = service_state_read(client, &error, &state);
	if (r < 0)
		return bus_complain(&error, r);
	if (!client->options->json)
		return print_holds(client->options, &state);
	object = json_object_new_object();
	json_object_object_add(object, "holds", holds_json(&state));
	return json_print(client->options, object);
}

/* The program's file name, in characters that may be shown to others. */
static const char *application(const char *command)
{
	const char *slash = strrchr(command, '/');

	command = slash ? slash + 1 : command;
	return is_utf8(command) ? safe(command) : "";
}

/*
 * The hold is for this process, which then becomes the program: so the hold ends with the program,
 * in whatever way, and status, signals and terminal are the program's own.
 */
static int hold_for_this_process(struct bus_client *client, const char *command)
{
	static const struct bus_method hold_mode = { DONOR_INTERFACE, "HoldMode", true, true };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(closep) int pidfd = -1;
	const struct options *options = client->options;
	int r;

	pidfd = pidfd_open(getpid(), 0);
	if (pidfd < 0) {
		complain("cannot get hold of this process: %m. The kernel is too old for donor");
		return STATUS_FAILED;
	}
	r = bus_client_call(client, &hold_mode, &error, &reply, "sssa{sv}", options->mode,
			    options->reason ? options->reason : "", application(command), 1,
			    "pidfd", "h", pidfd);
	return r < 0 ? bus_complain(&error, r) : STATUS_OK;
}

static int check_run(const struct bus_client *client)
{
	if (!client->options->mode) {
		complain("run needs a mode, as in: donorctl run -m performance -- COMMAND");
		return STATUS_USAGE;
	}
	if (!is_mode(client->options->mode))
		return complain_choice("mode", client->options->mode, mode_names);
	if (bus_client_is_local(client))
		return STATUS_OK;
	complain("run starts a program here, so the mode is held here; leave out --host and "
		 "--machine");
	return STATUS_USAGE;
}

int command_run(struct bus_client *client, char **words)
{
	int r;

	r = check_run(client);
	if (r)
		return r;
	r = hold_for_this_process(client, words[0]);
	if (r)
		return r;
	bus_client_done(client);
	execvp(words[0], words);
	r = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_STARTED;
	complain("cannot start '%s': %m. Is it spelt right, and may it be executed?",
		 safe(words[0]));
	return r;
}
