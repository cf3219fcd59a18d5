/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls to donord. What their errors mean is in bus-error.c. */
#include "client/bus-client.h"

#include <errno.h>

#include "dbus/names.h"
#include "service/cleanup.h"

/* The kernel's verifier can take long on a slow machine. */
#define CHANGE_TIMEOUT_USEC (UINT64_C(90) * 1000 * 1000)

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
}

bool bus_client_is_local(const struct bus_client *client)
{
	return !client->options->host && !client->options->machine;
}

static uint64_t call_timeout(const struct bus_client *client, const struct bus_method *method)
{
	if (client->call_timeout_usec)
		return client->call_timeout_usec;
	return method->changes ? CHANGE_TIMEOUT_USEC : 0; /* 0: the library's */
}

static int call(struct bus_client *client, const struct bus_method *method, sd_bus_error *ret_error,
		sd_bus_message **ret_reply, sd_bus_message *message)
{
	int r;

	/* whoever only looks must not find a scheduler attached by the look */
	r = sd_bus_message_set_auto_start(message, method->starts);
	if (r < 0)
		return r;
	r = sd_bus_message_set_allow_interactive_authorization(message, method->changes);
	if (r < 0)
		return r;
	return sd_bus_call(client->bus, message, call_timeout(client, method), ret_error, ret_reply);
}

static int call_with(struct bus_client *client, const struct bus_method *method,
		     sd_bus_error *ret_error, sd_bus_message **ret_reply, const char *types,
		     va_list arguments)
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
	if (types) {
		r = sd_bus_message_appendv(message, types, arguments);
		if (r < 0)
			return r;
	}
	return call(client, method, ret_error, ret_reply, message);
}

int bus_client_call(struct bus_client *client, const struct bus_method *method,
		    sd_bus_error *ret_error, sd_bus_message **ret_reply, const char *types, ...)
{
	va_list arguments;
	int r;

	va_start(arguments, types);
	r = call_with(client, method, ret_error, ret_reply, types, arguments);
	va_end(arguments);
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
