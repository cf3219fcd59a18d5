/* SPDX-License-Identifier: GPL-2.0-only */
/* tune: show the parameters of the scheduler, or set one of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/parameters.h"
#include "client/print.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

static struct json_object *to_json(const struct parameter *parameter)
{
	struct json_object *object = json_object_new_object();

	json_add_text(object, "name", parameter->name);
	json_add_number(object, "value", parameter->value);
	json_add_text(object, "unit", parameter->unit);
	json_add_number(object, "minimum", parameter->minimum);
	json_add_number(object, "maximum", parameter->maximum);
	json_add_number(object, "default", parameter->initial);
	json_add_text(object, "origin", parameter->origin);
	json_add_text(object, "help", parameter->help);
	return object;
}

static int print_json(const struct options *options, const struct parameters *parameters)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < parameters->nr; i++)
		json_object_array_add(list, to_json(&parameters->list[i]));
	json_object_object_add(object, "parameters", list);
	return json_print(options, object);
}

static int print_table(const struct options *options, const struct parameters *parameters)
{
	static const struct column columns[] = { { "PARAMETER", false }, { "VALUE", true },
						 { "UNIT", false },	 { "LEAST", true },
						 { "MOST", true },	 { "ORIGIN", false } };
	struct table *table = table_new(options);

	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < parameters->nr; i++) {
		const struct parameter *row = &parameters->list[i];

		table_add_row(table);
		table_add_text(table, row->name);
		table_add_number(table, row->value);
		table_add_text(table, row->unit);
		table_add_number(table, row->minimum);
		table_add_number(table, row->maximum);
		table_add_text(table, row->origin);
	}
	return table_print(table);
}

static int show_one(const struct options *options, const struct parameter *parameter)
{
	if (options->json)
		return json_print(options, to_json(parameter));
	printf("%s: %s\n", safe(parameter->name), safe(parameter->help));
	printf("    value: %" PRIu64 " (%s)\n", parameter->value, safe(parameter->unit));
	printf("   origin: %s\n", safe(parameter->origin));
	printf("  default: %" PRIu64 " in this mode\n", parameter->initial);
	printf("   bounds: %" PRIu64 " to %" PRIu64 "\n", parameter->minimum, parameter->maximum);
	return STATUS_OK;
}

static int call_set(struct bus_client *client, const struct parameter *parameter, uint64_t value,
		    bool reset, sd_bus_error *error, sd_bus_message **ret_reply)
{
	static const struct bus_method method = { DONOR_INTERFACE, "SetParameter", true, true };
	const struct options *options = client->options;
	int persist = !!(options->given & OPTION_PERSIST);

	if (options->mode)
		return bus_client_call(client, &method, error, ret_reply, "sta{sv}",
				       parameter->name, value, 3, "reset", "b", reset, "persist",
				       "b", persist, "mode", "s", options->mode);
	return bus_client_call(client, &method, error, ret_reply, "sta{sv}", parameter->name, value,
			       2, "reset", "b", reset, "persist", "b", persist);
}

/* The bounds are checked before: what the service refuses does not fit another parameter. */
static int complain_refused(const sd_bus_error *error, int r)
{
	if (!sd_bus_error_has_name(error, SD_BUS_ERROR_INVALID_ARGS))
		return bus_complain(error, r);
	complain("%s", safe(error->message));
	return STATUS_FAILED;
}

static int set(struct bus_client *client, const struct parameter *parameter, const char *text)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	bool reset = !strcmp(text, "auto");
	uint64_t value = 0, effective;
	int r;

	r = reset ? 0 : parameter_parse(parameter, text, &value);
	if (r)
		return r;
	r = call_set(client, parameter, value, reset, &error, &reply);
	if (r < 0)
		return complain_refused(&error, r);
	r = sd_bus_message_read(reply, "t", &effective);
	if (r < 0)
		return bus_complain(&error, r);
	printf("%" PRIu64 "\n", effective);
	if (!reset && effective != value)
		printf("%" PRIu64 " takes effect in mode %s\n", value,
		       client->options->mode ? client->options->mode : "another");
	return STATUS_OK;
}

static int check_options(const struct options *options, bool sets)
{
	unsigned int given = options->given & (OPTION_MODE | OPTION_PERSIST);

	if (!given || sets)
		return STATUS_OK;
	complain("%s goes with a value; usage: donorctl tune NAME VALUE|auto", option_name(given));
	return STATUS_USAGE;
}

static int run(struct bus_client *client, const struct parameters *parameters, char **words)
{
	const struct parameter *parameter;

	if (!words[0])
		return client->options->json ? print_json(client->options, parameters)
					     : print_table(client->options, parameters);
	parameter = parameters_find(parameters, words[0]);
	if (!parameter)
		return parameters_complain(parameters, words[0]);
	return words[1] ? set(client, parameter, words[1]) : show_one(client->options, parameter);
}

int command_tune(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(parameters_done) struct parameters parameters = { 0 };
	int r;

	r = check_options(client->options, words[0] && words[1]);
	if (r)
		return r;
	r = parameters_read(client, &error, &parameters);
	if (r < 0)
		return bus_complain(&error, r);
	return run(client, &parameters, words);
}
