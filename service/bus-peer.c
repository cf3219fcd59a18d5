/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "service/bus-peer.h"

#define PROPERTIES_INTERFACE "org.freedesktop.DBus.Properties"

enum { OWNER_BYTES = 256 }; /* as long as a name on the bus can be */

struct bus_peer {
	sd_bus *bus;
	const struct peer_interface *interface;
	peer_handler_t handler;
	void *userdata;
	sd_bus_slot *owner_match, *change_match;
	sd_bus_slot *call; /* the one that is not answered yet */
	char owner[OWNER_BYTES]; /* its unique name; empty: not there */
	bool is_known; /* it has told its values */
	void *values, *before;
};

/* Cut where a character begins: the bus throws out who sends a broken one. */
static void copy_whole_characters(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size);

	if (length == size)
		for (length--; length > 0 && (from[length] & 0xc0) == 0x80;)
			length--;
	memset(to, 0, size);
	memcpy(to, from, length);
}

static int read_value(struct bus_peer *peer, sd_bus_message *message,
		      const struct peer_property *property)
{
	const char signature[] = { property->type, '\0' };
	char *target = (char *)peer->values + property->offset;
	const char *contents;
	union {
		const char *text;
		int boolean;
		double number;
	} value;
	int r;

	r = sd_bus_message_peek_type(message, NULL, &contents);
	if (r < 0)
		return r;
	if (strcmp(contents, signature) != 0)
		return sd_bus_message_skip(message, "v");
	r = sd_bus_message_read(message, "v", signature, &value);
	if (r < 0)
		return r;
	if (property->type == SD_BUS_TYPE_STRING)
		copy_whole_characters(target, property->size, value.text);
	else if (property->type == SD_BUS_TYPE_BOOLEAN)
		*(bool *)target = value.boolean;
	else
		*(double *)target = value.number;
	return 0;
}

static int read_property(struct bus_peer *peer, sd_bus_message *message)
{
	const char *name;
	int r;

	r = sd_bus_message_read(message, "s", &name);
	if (r < 0)
		return r;
	for (const struct peer_property *known = peer->interface->properties; known->name; known++)
		if (strcmp(known->name, name) == 0)
			return read_value(peer, message, known);
	return sd_bus_message_skip(message, "v");
}

/* a{sv} */
static int read_properties(struct bus_peer *peer, sd_bus_message *message)
{
	int r;

	r = sd_bus_message_enter_container(message, 'a', "{sv}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
		r = read_property(peer, message);
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(message);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : sd_bus_message_exit_container(message);
}

static void hang_up(struct bus_peer *peer)
{
	peer->call = sd_bus_slot_unref(peer->call);
}

static int on_values(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct bus_peer *peer = userdata;

	hang_up(peer);
	/* Without an answer it counts as absent, until it announces something. */
	if (sd_bus_message_is_method_error(reply, NULL))
		return 0;
	memset(peer->values, 0, peer->interface->size);
	if (read_properties(peer, reply) < 0)
		return 0;
	peer->is_known = true;
	peer->handler(peer->userdata);
	return 0;
}

static int ask_for_values(struct bus_peer *peer)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL;
	int r;

	hang_up(peer);
	r = sd_bus_message_new_method_call(peer->bus, &call, peer->owner, peer->interface->path,
					   PROPERTIES_INTERFACE, "GetAll");
	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "s", peer->interface->interface);
	if (r < 0)
		return r;
	r = sd_bus_message_set_auto_start(call, false);
	if (r < 0)
		return r;
	return sd_bus_call_async(peer->bus, &peer->call, call, on_values, peer, 0);
}

/* A change of several values at once is one change. */
static int on_change(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bus_peer *peer = userdata;
	const char *sender = sd_bus_message_get_sender(message);
	int r;

	if (!sender || strcmp(sender, peer->owner) != 0)
		return 0;
	if (!peer->is_known) /* the answer that is under way is newer than this */
		return peer->call ? 0 : ask_for_values(peer);
	memcpy(peer->before, peer->values, peer->interface->size);
	r = sd_bus_message_skip(message, "s");
	if (r >= 0)
		r = read_properties(peer, message);
	if (r < 0)
		return 0;
	if (sd_bus_message_enter_container(message, 'a', "s") >= 0 &&
	    sd_bus_message_at_end(message, false) == 0)
		(void)ask_for_values(peer); /* some changed without telling how */
	if (memcmp(peer->before, peer->values, peer->interface->size) != 0)
		peer->handler(peer->userdata);
	return 0;
}

static void owned_by(struct bus_peer *peer, const char *owner)
{
	const char *self = "";

	(void)sd_bus_get_unique_name(peer->bus, &self);
	if (strcmp(owner, self) == 0)
		owner = "";
	if (strcmp(owner, peer->owner) == 0)
		return;
	hang_up(peer);
	copy_whole_characters(peer->owner, sizeof(peer->owner), owner);
	peer->is_known = false;
	if (owner[0])
		(void)ask_for_values(peer);
	peer->handler(peer->userdata);
}

static int on_owner_changed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name, *before, *after;

	if (sd_bus_message_read(message, "sss", &name, &before, &after) >= 0)
		owned_by(userdata, after);
	return 0;
}

static int on_owner(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct bus_peer *peer = userdata;
	const char *owner = "";

	hang_up(peer);
	if (!sd_bus_message_is_method_error(reply, NULL))
		(void)sd_bus_message_read(reply, "s", &owner);
	owned_by(peer, owner);
	return 0;
}

static int watch_owner(struct bus_peer *peer)
{
	_cleanup_(freep) char *match = NULL;

	if (asprintf(&match,
		     "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
		     "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='%s'",
		     peer->interface->bus_name) < 0)
		return -ENOMEM;
	return sd_bus_add_match_async(peer->bus, &peer->owner_match, match, on_owner_changed, NULL,
				      peer);
}

static int watch_changes(struct bus_peer *peer)
{
	_cleanup_(freep) char *match = NULL;

	if (asprintf(&match,
		     "type='signal',sender='%s',path='%s',interface='" PROPERTIES_INTERFACE
		     "',member='PropertiesChanged',arg0='%s'",
		     peer->interface->bus_name, peer->interface->path,
		     peer->interface->interface) < 0)
		return -ENOMEM;
	return sd_bus_add_match_async(peer->bus, &peer->change_match, match, on_change, NULL, peer);
}

/* The bus answers in order: when it tells the owner, the matches are in place. */
static int follow(struct bus_peer *peer)
{
	int r;

	r = watch_owner(peer);
	if (r < 0)
		return r;
	r = watch_changes(peer);
	if (r < 0)
		return r;
	return sd_bus_call_method_async(peer->bus, &peer->call, "org.freedesktop.DBus",
					"/org/freedesktop/DBus", "org.freedesktop.DBus",
					"GetNameOwner", on_owner, peer, "s",
					peer->interface->bus_name);
}

int bus_peer_new(struct bus_peer **ret, sd_bus *bus, const struct peer_interface *interface,
		 peer_handler_t handler, void *userdata)
{
	_cleanup_(bus_peer_freep) struct bus_peer *peer = NULL;
	int r;

	peer = calloc(1, sizeof(*peer));
	if (!peer)
		return -ENOMEM;
	peer->bus = sd_bus_ref(bus);
	peer->interface = interface;
	peer->handler = handler;
	peer->userdata = userdata;
	peer->values = calloc(2, interface->size);
	if (!peer->values)
		return -ENOMEM;
	peer->before = (char *)peer->values + interface->size;
	r = follow(peer);
	if (r < 0)
		return r;
	*ret = steal_pointer(peer);
	return 0;
}

struct bus_peer *bus_peer_free(struct bus_peer *peer)
{
	if (!peer)
		return NULL;
	sd_bus_slot_unref(peer->owner_match);
	sd_bus_slot_unref(peer->change_match);
	sd_bus_slot_unref(peer->call);
	sd_bus_unref(peer->bus);
	free(peer->values);
	free(peer);
	return NULL;
}

bool bus_peer_has_owner(const struct bus_peer *peer)
{
	return peer->owner[0];
}

const void *bus_peer_values(const struct bus_peer *peer)
{
	return peer->is_known ? peer->values : NULL;
}

int bus_peer_start(struct bus_peer *peer)
{
	return sd_bus_call_method_async(peer->bus, NULL, "org.freedesktop.DBus",
					"/org/freedesktop/DBus", "org.freedesktop.DBus",
					"StartServiceByName", NULL, NULL, "su",
					peer->interface->bus_name, 0);
}
