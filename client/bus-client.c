/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls to donord. What their errors mean is in bus-error.c. */
#include "client/bus-client.h"

#include <errno.h>

#include "dbus/names.h"
#include "service/cleanup.h"

/* The kernel's verifier can take long on a slow machine. */
#define CHANGE_TIMEOUT_USEC (UINT64_C(90) * 1000 * 1000)

/* And so can a person who is asked for a password; the service gives up after five minutes. */
#define PERSON_TIMEOUT_USEC (UINT64_C(300) * 1000 * 1000 + CHANGE_TIMEOUT_USEC)

int bus_client_open(struct bus_client *client, sd_bus_error *ret_error)
{
	const struct options *options = client->options;
	int r;

	if (client->bus)
		return 0;
	if (options->host)
		r = sd_bus_open_system_remote(&client->bus, options->host);
	else if (options->machine)
		r = sd_bus_open_system_machine(&client->bus, options->machine);
	else
		r = sd_bus_open_system(&client->bus);
	if (r >= 0)
		return 0;
	sd_bus_error_set_errno(ret_error, r);
	return -EHOSTUNREACH;
}

void bus_client_done(struct bus_client *client)
{
	client->bus = sd_bus_flush_close_unref(client->bus);
	client->agent = password_agent_free(client->agent);
}

bool bus_client_is_local(const struct bus_client *client)
{
	return !client->options->host && !client->options->machine;
}

/* Whether somebody may be asked for a password before the call is answered. */
static bool may_ask(const struct bus_client *client, const struct bus_method *method)
{
	return method->changes && !client->options->no_ask_password;
}

static uint64_t call_timeout(const struct bus_client *client, const struct bus_method *method)
{
	if (client->call_timeout_usec)
		return client->call_timeout_usec;
	if (may_ask(client, method))
		return PERSON_TIMEOUT_USEC;
	return method->changes ? CHANGE_TIMEOUT_USEC : 0; /* 0: the library's */
}

/* On this machine, who calls may have no desktop that would ask. */
static void start_agent(struct bus_client *client, const struct bus_method *method)
{
	if (client->agent || !bus_client_is_local(client) || !may_ask(client, method))
		return;
	(void)password_agent_new(&client->agent); /* without it polkit says what is missing */
}

static int call(struct bus_client *client, const struct bus_method *method, sd_bus_error *ret_error,
		sd_bus_message **ret_reply, sd_bus_message *message)
{
	int r;

	/* whoever only looks must not find a scheduler attached by the look */
	r = sd_bus_message_set_auto_start(message, method->starts);
	if (r < 0)
		return r;
	r = sd_bus_message_set_allow_interactive_authorization(message, may_ask(client, method));
	if (r < 0)
		return r;
	start_agent(client, method);
	return sd_bus_call(client->bus, message, call_timeout(client, method), ret_error, ret_reply);
}

int bus_client_call_with(struct bus_client *client, const struct bus_method *method,
			 sd_bus_error *ret_error, sd_bus_message **ret_reply, bus_append_t append,
			 const void *userdata)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
	int r;

	r = bus_client_open(client, ret_error);
	if (r < 0)
		return r;
	r = sd_bus_message_new_method_call(client->bus, &message, DONOR_BUS_NAME,
					   method->path ? method->path : DONOR_OBJECT_PATH,
					   method->interface, method->member);
	if (r < 0)
		return r;
	r = append(message, userdata);
	if (r < 0)
		return r;
	return call(client, method, ret_error, ret_reply, message);
}

struct arguments {
	const char *types; /* NULL: none */
	va_list list;
};

static int append_arguments(sd_bus_message *message, const void *userdata)
{
	struct arguments *arguments = (struct arguments *)userdata;

	return arguments->types ? sd_bus_message_appendv(message, arguments->types, arguments->list)
				: 0;
}

int bus_client_call(struct bus_client *client, const struct bus_method *method,
		    sd_bus_error *ret_error, sd_bus_message **ret_reply, const char *types, ...)
{
	struct arguments arguments = { .types = types };
	int r;

	va_start(arguments.list, types);
	r = bus_client_call_with(client, method, ret_error, ret_reply, append_arguments, &arguments);
	va_end(arguments.list);
	return r;
}

int bus_client_get(struct bus_client *client, const char *interface, const char *property,
		   const char *type, sd_bus_error *ret_error, sd_bus_message **ret_reply)
{
	static const struct bus_method method = { "org.freedesktop.DBus.Properties", "Get", false,
						  false };
	int r;

	r = bus_client_call(client, &method, ret_error, ret_reply, "ss", interface, property);
	if (r < 0)
		return r;
	return sd_bus_message_enter_container(*ret_reply, 'v', type);
}
