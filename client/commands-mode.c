/* SPDX-License-Identifier: GPL-2.0-only */
/* get and modes. */
#include <string.h>

#include "client/bus-error.h"
#include "client/choices.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/modes.h"
#include "client/print.h"
#include "client/service-state.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

int command_get(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	struct json_object *object;
	int r;

	(void)words;
	r = service_state_read(client, &error, &state);
	if (r < 0)
		return bus_complain(&error, r);
	if (client->options->json) {
		object = json_object_new_object();
		json_add_text(object, "mode", state.mode);
		json_add_bool(object, "attached", service_state_is_attached(&state));
		r = json_print(client->options, object);
	} else {
		r = puts(safe(state.mode)) < 0 ? STATUS_FAILED : STATUS_OK;
	}
	if (!service_state_is_attached(&state))
		return service_state_complain_detached(&state);
	return r;
}

static int print_json(const struct options *options, const struct modes *modes, const char *current)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array(),
			   *item, *parameters;

	for (size_t i = 0; i < modes->nr; i++) {
		item = json_object_new_object();
		json_add_text(item, "name", modes->list[i].name);
		json_add_text(item, "description", modes->list[i].description);
		json_add_bool(item, "active", !strcmp(modes->list[i].name, current));
		parameters = json_object_new_object();
		for (size_t k = 0; k < modes->list[i].parameters.nr; k++)
			json_add_number(parameters, modes->list[i].parameters.list[k].name,
					modes->list[i].parameters.list[k].value);
		json_object_object_add(item, "parameters", parameters);
		json_object_array_add(list, item);
	}
	json_add_text(object, "mode", current);
	json_object_object_add(object, "modes", list);
	return json_print(options, object);
}

static int print_list(const struct options *options, const struct modes *modes, const char *current)
{
	static const struct column columns[] = { { "", false },
						 { "MODE", false },
						 { "DESCRIPTION", false } };
	struct table *table = table_new(options);

	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < modes->nr; i++) {
		table_add_row(table);
		table_add_text(table, strcmp(modes->list[i].name, current) ? "" : "*");
		table_add_text(table, modes->list[i].name);
		table_add_text(table, modes->list[i].description);
	}
	return table_print(table);
}

/* One row for each parameter of the first mode; every mode has the same ones. */
static int print_parameters(const struct options *options, const struct modes *modes)
{
	static const struct column first = { "PARAMETER", false };
	const struct counters *parameters = &modes->list[0].parameters;
	struct table *table = table_new(options);
	struct column column = { NULL, true };

	table_add_column(table, &first);
	for (size_t i = 0; i < modes->nr; i++) {
		column.name = safe(modes->list[i].name);
		table_add_column(table, &column);
	}
	for (size_t k = 0; k < parameters->nr; k++) {
		table_add_row(table);
		table_add_text(table, parameters->list[k].name);
		for (size_t i = 0; i < modes->nr; i++)
			table_add_number(table, counters_value(&modes->list[i].parameters,
							       parameters->list[k].name));
	}
	return table_print(table);
}

int command_modes(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	_cleanup_(modes_done) struct modes modes = { 0 };
	int r;

	(void)words;
	r = service_state_read(client, &error, &state);
	if (r >= 0)
		r = modes_read(client, &error, &modes);
	if (r < 0)
		return bus_complain(&error, r);
	if (client->options->json)
		return print_json(client->options, &modes, state.mode);
	r = print_list(client->options, &modes, state.mode);
	if (r || !modes.nr || !modes.list[0].parameters.nr)
		return r;
	putchar('\n');
	return print_parameters(client->options, &modes);
}
