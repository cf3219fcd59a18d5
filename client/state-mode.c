/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads who chose the mode: the person, and the programs. */
#include "client/state-mode.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int read_beneath(sd_bus_message *m, void *target)
{
	struct beneath *beneath = target;

	return sd_bus_message_read(m, "v", "(sss)", &beneath->mode, &beneath->source,
				   &beneath->reason);
}

/* A key of an a{sv}, and where its value goes. */
struct entry {
	const char *key;
	char type;
	size_t offset;
};

#define HOLD(name) offsetof(struct hold, name)
#define OVERRIDE(name) offsetof(struct override, name)

static const struct entry hold_entries[] = {
	{ "Mode", 's', HOLD(mode) },
	{ "Reason", 's', HOLD(reason) },
	{ "ApplicationId", 's', HOLD(application) },
	{ "Uid", 'u', HOLD(uid) },
	{ "Since", 't', HOLD(since_usec) },
	{ "TimeoutUSec", 't', HOLD(timeout_usec) },
	{ "Soft", 'b', HOLD(soft) },
	{ NULL, 0, 0 },
};

static const struct entry override_entries[] = {
	{ "Mode", 's', OVERRIDE(mode) },	  { "Until", 's', OVERRIDE(until) },
	{ "Reason", 's', OVERRIDE(reason) },	  { "Since", 't', OVERRIDE(since_usec) },
	{ "EndsUSec", 't', OVERRIDE(ends_usec) }, { "Uid", 'u', OVERRIDE(uid) },
	{ "Persist", 'b', OVERRIDE(persist) },	  { NULL, 0, 0 },
};

static int read_value(sd_bus_message *m, const struct entry *entry, void *target)
{
	char type[] = { entry->type, '\0' };
	int truth, r;

	if (entry->type != 'b')
		return sd_bus_message_read(m, "v", type, target);
	r = sd_bus_message_read(m, "v", type, &truth); /* sd-bus writes an int */
	if (r >= 0)
		*(bool *)target = truth;
	return r;
}

static int read_entry(sd_bus_message *m, const struct entry *entries, void *target)
{
	const char *key;
	int r;

	r = sd_bus_message_read(m, "s", &key);
	if (r < 0)
		return r;
	for (; entries->key; entries++)
		if (!strcmp(entries->key, key))
			return read_value(m, entries, (char *)target + entries->offset);
	return sd_bus_message_skip(m, "v"); /* of a newer service */
}

/* An a{sv} into a struct; 0 where the array around it is at its end. */
static int read_dictionary(sd_bus_message *m, const struct entry *entries, void *target)
{
	int r;

	r = sd_bus_message_enter_container(m, 'a', "{sv}");
	if (r <= 0)
		return r;
	while ((r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = read_entry(m, entries, target);
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(m);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(m);
	return r < 0 ? r : 1;
}

int read_override(sd_bus_message *m, void *target)
{
	int r;

	r = sd_bus_message_enter_container(m, 'v', "a{sv}");
	if (r < 0)
		return r;
	r = read_dictionary(m, override_entries, target);
	if (r < 0)
		return r;
	return sd_bus_message_exit_container(m);
}

static int add_hold(struct service_state *state, const struct hold *hold)
{
	struct hold *list = reallocarray(state->holds, state->nr_holds + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	state->holds = list;
	state->holds[state->nr_holds++] = *hold;
	return 0;
}

int read_holds(sd_bus_message *m, void *target)
{
	int r;

	r = sd_bus_message_enter_container(m, 'v', "aa{sv}");
	if (r < 0)
		return r;
	r = sd_bus_message_enter_container(m, 'a', "a{sv}");
	if (r < 0)
		return r;
	for (;;) {
		struct hold hold = { .mode = "", .reason = "", .application = "" };

		r = read_dictionary(m, hold_entries, &hold);
		if (r <= 0)
			break;
		r = add_hold(target, &hold);
		if (r < 0)
			break;
	}
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(m);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}
