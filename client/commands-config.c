/* SPDX-License-Identifier: GPL-2.0-only */
/* config: what donor.conf and its drop-ins amount to. reload: read them again. */
#include <stdio.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/print.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

struct row {
	const char *group, *key, *value, *origin;
};

/* 1: there was one; 0: there are no more. */
static int next_row(sd_bus_message *m, struct row *row)
{
	return sd_bus_message_read(m, "(ssss)", &row->group, &row->key, &row->value, &row->origin);
}

static int print_table(const struct options *options, sd_bus_message *m)
{
	static const struct column columns[] = {
		{ "GROUP", false }, { "KEY", false }, { "VALUE", false }, { "ORIGIN", false }
	};
	struct table *table = table_new(options);
	struct row row;
	int r;

	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	while ((r = next_row(m, &row)) > 0) {
		table_add_row(table);
		table_add_text(table, row.group);
		table_add_text(table, row.key);
		table_add_text(table, row.value);
		table_add_text(table, row.origin);
	}
	return table_print(table);
}

static int add_rows(struct json_object *object, sd_bus_message *m)
{
	struct json_object *list = json_object_new_array(), *item;
	struct row row;
	int r;

	json_object_object_add(object, "configuration", list);
	while ((r = next_row(m, &row)) > 0) {
		item = json_object_new_object();
		json_add_text(item, "group", row.group);
		json_add_text(item, "key", row.key);
		json_add_text(item, "value", row.value);
		json_add_text(item, "origin", row.origin);
		json_object_array_add(list, item);
	}
	return r;
}

static int add_files(struct json_object *object, struct bus_client *client, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	struct json_object *list = json_object_new_array();
	const char *file;
	int r;

	json_object_object_add(object, "files", list);
	r = bus_client_get(client, DONOR_INTERFACE, "ConfigFiles", "as", error, &reply);
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "s");
	while (r >= 0 && (r = sd_bus_message_read(reply, "s", &file)) > 0)
		json_object_array_add(list, json_object_new_string(file));
	return r;
}

static int print_json(struct bus_client *client, sd_bus_message *m, sd_bus_error *error)
{
	_cleanup_(json_object_putp) struct json_object *object =
		json_object_new_object();
	int r;

	r = add_files(object, client, error);
	if (r >= 0)
		r = add_rows(object, m);
	if (r < 0)
		return bus_complain(error, r);
	return json_print(client->options, steal_pointer(object));
}

int command_config(struct bus_client *client, char **words)
{
	static const struct bus_method method = { DONOR_INTERFACE, "GetConfiguration", false,
						  false };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	(void)words;
	r = bus_client_call(client, &method, &error, &reply, "");
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "(ssss)");
	if (r < 0)
		return bus_complain(&error, r);
	return client->options->json ? print_json(client, reply, &error)
				     : print_table(client->options, reply);
}

int command_reload(struct bus_client *client, char **words)
{
	/* a service that has to be started reads the files anyway, and would attach */
	static const struct bus_method method = { DONOR_INTERFACE, "Reload", true, false };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *warning;
	int r;

	(void)words;
	r = bus_client_call(client, &method, &error, &reply, "");
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "s");
	while (r >= 0 && (r = sd_bus_message_read(reply, "s", &warning)) > 0)
		complain("%s", safe(warning));
	return r < 0 ? bus_complain(&error, r) : STATUS_OK;
}
