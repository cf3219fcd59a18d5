/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/modes.h"

#include <errno.h>
#include <string.h>

#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

const char *const mode_names[] = { "power", "balanced", "performance", NULL };

bool is_mode(const char *name)
{
	return is_choice(name, mode_names) || !strcmp(name, "power-saver") ||
	       !strcmp(name, "powersave");
}

static int read_parameters(sd_bus_message *m, struct counters *parameters)
{
	int r;

	r = sd_bus_message_enter_container(m, 'v', "a{st}");
	if (r < 0)
		return r;
	r = counters_read(m, parameters);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

static int read_field(sd_bus_message *m, struct mode *mode)
{
	const char *name;
	int r;

	r = sd_bus_message_read(m, "s", &name);
	if (r < 0)
		return r;
	if (!strcmp(name, "Name"))
		return sd_bus_message_read(m, "v", "s", &mode->name);
	if (!strcmp(name, "Description"))
		return sd_bus_message_read(m, "v", "s", &mode->description);
	if (!strcmp(name, "Parameters"))
		return read_parameters(m, &mode->parameters);
	return sd_bus_message_skip(m, "v");
}

static int read_mode(sd_bus_message *m, struct mode *mode)
{
	int r;

	*mode = (struct mode){ .name = "", .description = "" };
	r = sd_bus_message_enter_container(m, 'a', "{sv}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = read_field(m, mode);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

static int read_list(sd_bus_message *m, struct modes *modes)
{
	struct mode *bigger;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "a{sv}");
	if (r < 0)
		return r;
	while (!(r = sd_bus_message_at_end(m, false))) {
		bigger = reallocarray(modes->list, modes->nr + 1, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		modes->list = bigger;
		r = read_mode(m, &bigger[modes->nr++]);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

int modes_read(struct bus_client *client, sd_bus_error *ret_error, struct modes *ret)
{
	struct modes modes = { 0 };
	int r;

	r = bus_client_get(client, DONOR_INTERFACE, "Modes", "aa{sv}", ret_error, &modes.reply);
	if (r >= 0)
		r = read_list(modes.reply, &modes);
	if (r < 0) {
		modes_done(&modes);
		return r;
	}
	*ret = modes;
	return 0;
}

void modes_done(struct modes *modes)
{
	for (size_t i = 0; i < modes->nr; i++)
		free(modes->list[i].parameters.list);
	free(modes->list);
	modes->list = NULL;
	modes->nr = 0;
	modes->reply = sd_bus_message_unref(modes->reply);
}
