/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <systemd/sd-bus.h>

#include "client/options.h"
#include "client/password-agent.h"

/* The one connection of a run of donorctl. */
struct bus_client {
	const struct options *options;
	sd_bus *bus; /* opened by the first call */
	struct password_agent *agent; /* started by the first call that may need it */
	uint64_t call_timeout_usec; /* 0: what fits the call */
};

struct bus_method {
	const char *interface;
	const char *member;
	bool changes; /* may ask for authorisation, and may take long */
	bool starts; /* may start the service */
	const char *path; /* NULL: the scheduler's object */
};

/*
 * All of these return a negative errno, and then ret_error says more. Nothing is printed: pass
 * both to bus_complain().
 */

/* Opens the connection if it is not open. -EHOSTUNREACH: there is no bus to connect to. */
int bus_client_open(struct bus_client *client, sd_bus_error *ret_error);
void bus_client_done(struct bus_client *client);

/* Whether the service is on this machine, so that its /sys and clock are ours. */
bool bus_client_is_local(const struct bus_client *client);

/* The arguments of a call that depend on more than printf-like words can say. */
typedef int (*bus_append_t)(sd_bus_message *message, const void *userdata);
int bus_client_call_with(struct bus_client *client, const struct bus_method *method,
			 sd_bus_error *ret_error, sd_bus_message **ret_reply, bus_append_t append,
			 const void *userdata);

int bus_client_call(struct bus_client *client, const struct bus_method *method,
		    sd_bus_error *ret_error, sd_bus_message **ret_reply, const char *types, ...);

/* Leaves ret_reply inside the variant, whose contents have the type given. */
int bus_client_get(struct bus_client *client, const char *interface, const char *property,
		   const char *type, sd_bus_error *ret_error, sd_bus_message **ret_reply);
