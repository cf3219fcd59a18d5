/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "service/bus-owner.h"
#include "service/cleanup.h"

enum { TIMEOUT_US = 5 * 1000 * 1000 };

struct question {
	owner_handler_t handler;
	void *userdata;
};

static bool is_active(const char *state)
{
	return strcmp(state, "active") == 0 || strcmp(state, "activating") == 0 ||
	       strcmp(state, "reloading") == 0;
}

/* Units: name, description, load state, active state, sub state, and six more. */
static const char *find_active(sd_bus_message *reply)
{
	const char *unit, *active, *found = NULL;

	if (sd_bus_message_enter_container(reply, 'a', "(ssssssouso)") < 0)
		return NULL;
	while (!found && sd_bus_message_enter_container(reply, 'r', "ssssssouso") > 0) {
		if (sd_bus_message_read(reply, "ssss", &unit, NULL, NULL, &active) < 0 ||
		    sd_bus_message_skip(reply, "ssouso") < 0 ||
		    sd_bus_message_exit_container(reply) < 0)
			return NULL;
		if (is_active(active))
			found = unit;
	}
	return found;
}

static int on_units(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const struct question *question = userdata;
	const char *unit = sd_bus_message_is_method_error(reply, NULL) ? NULL : find_active(reply);

	question->handler(question->userdata, unit);
	return 0;
}

int bus_owner_ask(sd_bus *bus, sd_bus_slot **ret, owner_handler_t handler, void *userdata)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
	_cleanup_(sd_bus_slot_unrefp) sd_bus_slot *slot = NULL;
	_cleanup_(freep) struct question *question = malloc(sizeof(*question));
	int r;

	if (!question)
		return -ENOMEM;
	*question = (struct question){ handler, userdata };
	r = sd_bus_message_new_method_call(bus, &m, "org.freedesktop.systemd1",
					   "/org/freedesktop/systemd1",
					   "org.freedesktop.systemd1.Manager", "ListUnitsByNames");
	if (r < 0)
		return r;
	r = sd_bus_message_append(m, "as", 2, "scx.service", "scx_loader.service");
	if (r < 0)
		return r;
	r = sd_bus_message_set_auto_start(m, false);
	if (r < 0)
		return r;
	r = sd_bus_call_async(bus, &slot, m, on_units, question, TIMEOUT_US);
	if (r < 0)
		return r;
	r = sd_bus_slot_set_destroy_callback(slot, free);
	if (r < 0)
		return r;
	(void)steal_pointer(question); /* the slot's */
	*ret = steal_pointer(slot);
	return 0;
}
