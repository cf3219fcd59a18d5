/* SPDX-License-Identifier: GPL-2.0-only */
/* exits and reset-failed: how the scheduler ended. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/print.h"
#include "client/service-state.h"
#include "client/text.h"
#include "client/wall-clock.h"
#include "dbus/names.h"
#include "service/cleanup.h"
#include "service/duration.h"

struct json_object *last_exit_json(const struct last_exit *last)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "realtime_usec", last->realtime_usec);
	json_add_text(object, "kind", last->kind);
	json_object_object_add(object, "code", json_object_new_int64(last->code));
	json_add_text(object, "reason", last->reason);
	json_add_text(object, "message", last->message);
	json_add_number(object, "attached_usec", last->attached_usec);
	return object;
}

static int next_exit(sd_bus_message *m, struct last_exit *ret)
{
	return sd_bus_message_read(m, "(tsxsst)", &ret->realtime_usec, &ret->kind, &ret->code,
				   &ret->reason, &ret->message, &ret->attached_usec);
}

static int print_json(const struct options *options, sd_bus_message *m)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();
	struct last_exit e;
	int r;

	json_object_object_add(object, "exits", list);
	while ((r = next_exit(m, &e)) > 0)
		json_object_array_add(list, last_exit_json(&e));
	if (r < 0) {
		json_object_put(object);
		return bus_complain(&SD_BUS_ERROR_NULL, r);
	}
	return json_print(options, object);
}

/* clang-format off */ /* one column per line reads as a table */
static const struct column columns[] = {
	{ "WHEN", false }, { "KIND", false }, { "ATTACHED-FOR", false }, { "WHY", false },
};
/* clang-format on */

static void add_row(struct table *table, const struct last_exit *e)
{
	char when[WALL_CLOCK_BYTES], attached[64], why[1300];

	snprintf(why, sizeof(why), "%s%s%s", e->reason, *e->reason && *e->message ? ": " : "",
		 e->message);
	table_add_row(table);
	table_add_text(table, wall_clock_format(e->realtime_usec, when, sizeof(when)));
	table_add_text(table, e->kind);
	table_add_text(table, duration_format(e->attached_usec, attached, sizeof(attached)));
	table_add_text(table, why);
}

static int print_table(const struct options *options, sd_bus_message *m)
{
	struct table *table = table_new(options);
	struct last_exit e;
	int r, printed;

	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	while ((r = next_exit(m, &e)) > 0)
		add_row(table, &e);
	printed = table_print(table);
	return r < 0 ? bus_complain(&SD_BUS_ERROR_NULL, r) : printed;
}

static int list_exits(struct bus_client *client)
{
	static const struct bus_method method = { DONOR_INTERFACE, "ListExits", false, false };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	r = bus_client_call(client, &method, &error, &reply, "u", 0);
	if (r >= 0)
		r = sd_bus_message_enter_container(reply, 'a', "(tsxsst)");
	if (r < 0)
		return bus_complain(&error, r);
	if (client->options->json)
		return print_json(client->options, reply);
	return print_table(client->options, reply);
}

/* The report is the service's own text; what came from tasks is printable there already. */
static int copy_report(int fd)
{
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stdout);
	if (n == 0)
		return STATUS_OK;
	complain("cannot read the report: %m. Try again");
	return STATUS_FAILED;
}

static int print_report(struct bus_client *client)
{
	/* not a change, but it may have to be authorised */
	static const struct bus_method method = { DONOR_STATISTICS_INTERFACE, "Dump", true, false };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r, fd;

	r = bus_client_call(client, &method, &error, &reply, NULL);
	if (r >= 0)
		r = sd_bus_message_read(reply, "h", &fd);
	return r < 0 ? bus_complain(&error, r) : copy_report(fd);
}

int command_exits(struct bus_client *client, char **words)
{
	const struct options *options = client->options;

	(void)words;
	if (!(options->given & OPTION_DUMP))
		return list_exits(client);
	if (options->json) {
		complain("--dump is text and has no JSON; leave out one of --dump and --json");
		return STATUS_USAGE;
	}
	return print_report(client);
}

int command_reset_failed(struct bus_client *client, char **words)
{
	/* a service that has to be started for it has no failures */
	static const struct bus_method method = { DONOR_INTERFACE, "ResetFailed", true, false };
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	(void)words;
	r = bus_client_call(client, &method, &error, &reply, NULL);
	return r < 0 ? bus_complain(&error, r) : STATUS_OK;
}
