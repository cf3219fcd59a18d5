/* SPDX-License-Identifier: GPL-2.0-only */
/* donation: show the switch of each hook and what the attached scheduler does, or turn it. */
#include <stdio.h>
#include <string.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/print.h"
#include "client/service-state.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

static int find_hook(const char *name)
{
	for (int hook = 0; hook < _HOOK_MAX; hook++)
		if (!strcmp(name, hook_names[hook]))
			return hook;
	return -1;
}

static int print_json(const struct options *options, const struct service_state *state, int only)
{
	static const char *const keys[_HOOK_MAX] = { "select_cpu", "enqueue" };
	struct json_object *object = json_object_new_object(), *item;

	for (int hook = 0; hook < _HOOK_MAX; hook++) {
		if (only >= 0 && only != hook)
			continue;
		item = json_object_new_object();
		json_add_bool(item, "on", state->donation_on[hook]);
		json_add_bool(item, "effective", state->donation_effective[hook]);
		json_object_object_add(object, keys[hook], item);
	}
	return json_print(options, object);
}

static int print_table(const struct options *options, const struct service_state *state)
{
	static const struct column columns[] = { { "HOOK", false },
						 { "SWITCH", false },
						 { "EFFECTIVE", false } };
	struct table *table = table_new(options);

	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (int hook = 0; hook < _HOOK_MAX; hook++) {
		table_add_row(table);
		table_add_text(table, hook_names[hook]);
		table_add_text(table, on_off(state->donation_on[hook]));
		table_add_text(table, on_off(state->donation_effective[hook]));
	}
	return table_print(table);
}

/* hook -1 is both */
static int show(struct bus_client *client, int hook)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	int r;

	r = service_state_read(client, &error, &state);
	if (r < 0)
		return bus_complain(&error, r);
	if (client->options->json)
		return print_json(client->options, &state, hook);
	if (hook < 0)
		return print_table(client->options, &state);
	puts(on_off(state.donation_on[hook]));
	return STATUS_OK;
}

struct choice {
	const char *hook;
	const char *word;
	bool persist;
};

static int append_choice(sd_bus_message *message, const void *userdata)
{
	const struct choice *choice = userdata;
	int r;

	r = sd_bus_message_append(message, "sb", choice->hook, !strcmp(choice->word, "on"));
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(message, 'a', "{sv}");
	if (r >= 0 && !strcmp(choice->word, "auto"))
		r = sd_bus_message_append(message, "{sv}", "follow-mode", "b", 1);
	if (r >= 0 && choice->persist)
		r = sd_bus_message_append(message, "{sv}", "persist", "b", 1);
	return r < 0 ? r : sd_bus_message_close_container(message);
}

static int set(struct bus_client *client, const char *hook, const char *word)
{
	static const struct bus_method method = { DONOR_INTERFACE, "SetDonation", true, true };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct choice choice = { hook, word, client->options->given & OPTION_PERSIST };
	int r;

	r = bus_client_call_with(client, &method, &error, &reply, append_choice, &choice);
	return r < 0 ? bus_complain(&error, r) : STATUS_OK;
}

int command_donation(struct bus_client *client, char **words)
{
	static const char *const switches[] = { "on", "off", "auto", NULL };
	int hook, r;

	if (!words[0])
		return show(client, -1);
	hook = find_hook(words[0]);
	if (hook < 0)
		return complain_choice("hook", words[0], hook_names);
	if (!words[1])
		return show(client, hook);
	if (!is_choice(words[1], switches))
		return complain_choice("switch", words[1], switches);
	r = set(client, words[0], words[1]);
	return r ? r : show(client, hook); /* auto: the mode decides, so say what */
}
