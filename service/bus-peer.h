/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-bus.h>

#include "service/cleanup.h"

/*
 * The properties of another service, followed while it comes and goes. It is never waited for, and
 * only started by request.
 */
struct bus_peer;

struct peer_property {
	const char *name;
	char type; /* SD_BUS_TYPE_STRING into char[size], _BOOLEAN into bool, _DOUBLE into double */
	size_t offset, size; /* in the values */
};

struct peer_interface {
	const char *bus_name, *path, *interface;
	const struct peer_property *properties; /* ends with one that has no name */
	size_t size; /* of the struct of values */
};

/* Something differs: it appeared, went, or a value changed. */
typedef void (*peer_handler_t)(void *userdata);

int bus_peer_new(struct bus_peer **ret, sd_bus *bus, const struct peer_interface *interface,
		 peer_handler_t handler, void *userdata);
struct bus_peer *bus_peer_free(struct bus_peer *peer);
DEFINE_CLEANUP(struct bus_peer *, bus_peer_free);

/* Whether another process than this one owns the name; it may not have told its values yet. */
bool bus_peer_has_owner(const struct bus_peer *peer);

/* What it told last; NULL while it is not there. */
const void *bus_peer_values(const struct bus_peer *peer);

/* Have the bus start it; whether that worked is seen when it appears. */
int bus_peer_start(struct bus_peer *peer);
