/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks systemd for services that attach schedulers of their own, or turn the knobs of tasks. */
#include <string.h>

#include "client/doctor.h"
#include "service/cleanup.h"

static const struct rival {
	const char *unit;
	const char *next_step;
} rivals[] = {
	{ "scx.service", "It attaches another scheduler: systemctl disable --now scx.service" },
	{ "scx_loader.service",
	  "It attaches another scheduler: systemctl disable --now scx_loader.service" },
	{ "ananicy-cpp.service",
	  "It turns the priorities of tasks: systemctl disable --now ananicy-cpp.service" },
};

#define NR_RIVALS (sizeof(rivals) / sizeof(rivals[0]))

static int ask(struct bus_client *client, sd_bus_message **ret_reply)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	r = bus_client_open(client, &error);
	if (r < 0)
		return r;
	r = sd_bus_message_new_method_call(client->bus, &m, "org.freedesktop.systemd1",
					   "/org/freedesktop/systemd1",
					   "org.freedesktop.systemd1.Manager", "ListUnitsByNames");
	if (r < 0)
		return r;
	r = sd_bus_message_append(m, "as", (unsigned int)NR_RIVALS, rivals[0].unit, rivals[1].unit,
				  rivals[2].unit);
	if (r < 0)
		return r;
	r = sd_bus_message_set_auto_start(m, false);
	if (r < 0)
		return r;
	return sd_bus_call(client->bus, m, 0, &error, ret_reply);
}

static size_t note(struct doctor *doctor, const char *unit, const char *active)
{
	if (strcmp(active, "active") && strcmp(active, "activating"))
		return 0;
	for (size_t i = 0; i < NR_RIVALS; i++)
		if (!strcmp(rivals[i].unit, unit))
			doctor_note(doctor, "rivals", VERDICT_WARNING, STATUS_OK,
				    rivals[i].next_step, "%s is active", unit);
	return 1;
}

/* Units: name, description, load state, active state, sub state, and six more. */
static int note_all(struct doctor *doctor, sd_bus_message *reply, size_t *ret_nr)
{
	const char *unit, *active;
	size_t nr = 0;
	int r;

	r = sd_bus_message_enter_container(reply, 'a', "(ssssssouso)");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_enter_container(reply, 'r', "ssssssouso")) > 0) {
		r = sd_bus_message_read(reply, "ssss", &unit, NULL, NULL, &active);
		if (r < 0)
			return r;
		nr += note(doctor, unit, active);
		r = sd_bus_message_skip(reply, "ssouso");
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(reply);
		if (r < 0)
			return r;
	}
	*ret_nr = nr;
	return r;
}

void doctor_check_rivals(struct doctor *doctor)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	size_t nr = 0;
	int r;

	r = ask(doctor->client, &reply);
	if (r >= 0)
		r = note_all(doctor, reply, &nr);
	if (r < 0)
		doctor_note(doctor, "rivals", VERDICT_UNKNOWN, STATUS_OK, NULL,
			    "systemd does not say which services are active");
	else if (!nr)
		doctor_note(doctor, "rivals", VERDICT_OK, STATUS_OK, NULL,
			    "No service that is known to interfere is active");
}
