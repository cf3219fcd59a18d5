/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monitor: a line for each signal of the service, each property that changes, and for the service
 * itself coming and going. It ends by a signal, or with the bus.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/message-json.h"
#include "client/print.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

#define PROPERTIES_INTERFACE "org.freedesktop.DBus.Properties"

/* What the interface XML calls the arguments; a signal that is not known has numbers for names. */
static const struct event {
	const char *signal;
	const char *word;
	const char *arguments[8];
} events[] = {
	{ "ModeChanged", "mode", { "old", "new", "source", "reason" } },
	{ "DonationChanged", "donation", { "hook", "on", "reason" } },
	{ "Attached", "attached", { "name", "adopted" } },
	{ "Exited", "exited", { "kind", "code", "reason", "message", "will_retry" } },
	{ "Conflict", "conflict", { "foreign", "cleared" } },
	{ "ParametersChanged", "parameters", { "changed", "reason" } },
};

static const struct event *find_event(const char *signal)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(events[i].signal, signal))
			return &events[i];
	return NULL;
}

static struct json_object *event_new(const char *word)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "t", (uint64_t)time(NULL));
	json_add_text(object, "event", word);
	return object;
}

/* 18:49:02 mode old=balanced new=power source=profile reason="the profile is power-saver" */
static int print_text(struct json_object *object)
{
	time_t now = (time_t)json_object_get_int64(json_object_object_get(object, "t"));
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		(void)strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	printf("%s %s", clock,
	       safe(json_object_get_string(json_object_object_get(object, "event"))));
	json_object_object_foreach(object, key, value) {
		const char *text = json_object_to_json_string_ext(
			value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

		if (!strcmp(key, "t") || !strcmp(key, "event"))
			continue;
		if (json_object_is_type(value, json_type_string) && text[1] != '"' &&
		    !strpbrk(text, " \\"))
			text = json_object_get_string(value); /* needs no quotes */
		printf(" %s=%s", safe(key), safe(text));
	}
	putchar('\n');
	json_object_put(object);
	fflush(stdout);
	return STATUS_OK;
}

static int print_event(const struct bus_client *client, struct json_object *object)
{
	if (client->options->json)
		return json_print(client->options, object);
	return print_text(object);
}

static int on_properties_changed(struct bus_client *client, sd_bus_message *m)
{
	struct json_object *changed, *object;
	int r;

	r = sd_bus_message_skip(m, "s");
	if (r >= 0)
		r = message_read_json(m, &changed);
	if (r < 0)
		return r;
	json_object_object_foreach(changed, name, value) {
		object = event_new("property");
		json_add_text(object, "name", name);
		json_object_object_add(object, "value", json_object_get(value));
		print_event(client, object);
	}
	json_object_put(changed);
	return 0;
}

static int print_signal(struct bus_client *client, sd_bus_message *m, const char *member)
{
	const struct event *event = find_event(member);
	struct json_object *object = event_new(event ? event->word : member), *value;
	const char *name;
	char number[16];
	int r;

	for (size_t i = 0; (r = message_read_json(m, &value)) > 0; i++) {
		name = event && i < sizeof(event->arguments) / sizeof(event->arguments[0])
			       ? event->arguments[i]
			       : NULL;
		(void)snprintf(number, sizeof(number), "%zu", i);
		json_object_object_add(object, name ? name : number, value);
	}
	print_event(client, object);
	return r;
}

static int on_signal(sd_bus_message *m, void *data, sd_bus_error *ret_error)
{
	struct bus_client *client = data;
	const char *member = sd_bus_message_get_member(m);

	(void)ret_error;
	if (!strcmp(sd_bus_message_get_interface(m), PROPERTIES_INTERFACE))
		(void)on_properties_changed(client, m);
	else
		(void)print_signal(client, m, member);
	return 0;
}

static int print_running(struct bus_client *client, bool is_running)
{
	struct json_object *object = event_new("service");

	json_add_bool(object, "running", is_running);
	return print_event(client, object);
}

static int on_owner_changed(sd_bus_message *m, void *data, sd_bus_error *ret_error)
{
	const char *owner;

	(void)ret_error;
	if (sd_bus_message_read(m, "sss", NULL, NULL, &owner) >= 0)
		print_running(data, *owner);
	return 0;
}

static int subscribe(struct bus_client *client)
{
	int r;

	r = sd_bus_add_match(client->bus, NULL,
			     "type='signal',sender='" DONOR_BUS_NAME "',path='" DONOR_OBJECT_PATH
			     "'",
			     on_signal, client);
	if (r < 0)
		return r;
	return sd_bus_add_match(client->bus, NULL,
				"type='signal',sender='org.freedesktop.DBus',"
				"interface='org.freedesktop.DBus',member='NameOwnerChanged',"
				"arg0='" DONOR_BUS_NAME "'",
				on_owner_changed, client);
}

/* Whether it runs now: the first line, which also says that from here on nothing is missed. */
static int print_first(struct bus_client *client)
{
	int r;

	r = sd_bus_get_name_creds(client->bus, DONOR_BUS_NAME, 0, NULL);
	if (r < 0 && r != -ENXIO && r != -ESRCH)
		return r;
	print_running(client, r >= 0);
	return 0;
}

static int follow(struct bus_client *client, sd_bus_error *ret_error)
{
	int r;

	r = bus_client_open(client, ret_error);
	if (r >= 0)
		r = subscribe(client);
	if (r >= 0)
		r = print_first(client);
	while (r >= 0 && !ferror(stdout)) {
		r = sd_bus_process(client->bus, NULL);
		if (!r)
			r = sd_bus_wait(client->bus, UINT64_MAX);
		if (r == -EINTR)
			r = 0;
	}
	return r;
}

int command_monitor(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	(void)words;
	r = follow(client, &error);
	return r < 0 ? bus_complain(&error, r) : STATUS_OK;
}
