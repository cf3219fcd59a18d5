/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads all properties of the service at once, so that they belong to one moment. */
#include "client/service-state.h"

#include <errno.h>
#include <string.h>

#include "client/exit-status.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

const char *const hook_names[_HOOK_MAX + 1] = {
	[HOOK_SELECT_CPU] = "select-cpu",
	[HOOK_ENQUEUE] = "enqueue",
};

static int read_string(sd_bus_message *m, void *target)
{
	return sd_bus_message_read(m, "v", "s", target);
}

static int read_time(sd_bus_message *m, void *target)
{
	return sd_bus_message_read(m, "v", "t", target);
}

static int read_bool(sd_bus_message *m, void *target)
{
	bool *ret = target;
	int value, r;

	r = sd_bus_message_read(m, "v", "b", &value); /* sd-bus writes an int */
	if (r >= 0)
		*ret = value;
	return r;
}

static int read_hooks(sd_bus_message *m, void *target)
{
	bool *effective = target;
	const char *name;
	int r;

	r = sd_bus_message_enter_container(m, 'v', "as");
	if (r < 0)
		return r;
	r = sd_bus_message_enter_container(m, 'a', "s");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_read(m, "s", &name)) > 0)
		for (int hook = 0; hook < _HOOK_MAX; hook++)
			if (!strcmp(name, hook_names[hook]))
				effective[hook] = true;
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(m);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

static int read_last_exit(sd_bus_message *m, void *target)
{
	struct last_exit *e = target;

	return sd_bus_message_read(m, "v", "(tsxsst)", &e->realtime_usec, &e->kind, &e->code,
				   &e->reason, &e->message, &e->attached_usec);
}

#define FIELD(name) offsetof(struct service_state, name)

static const struct {
	const char *name;
	int (*read)(sd_bus_message *m, void *target);
	size_t offset;
} properties[] = {
	{ "Version", read_string, FIELD(version) },
	{ "KernelSupport", read_string, FIELD(kernel_support) },
	{ "State", read_string, FIELD(state) },
	{ "StateReason", read_string, FIELD(reason) },
	{ "SchedulerName", read_string, FIELD(scheduler) },
	{ "ForeignScheduler", read_string, FIELD(foreign) },
	{ "Mode", read_string, FIELD(mode) },
	{ "ModeSource", read_string, FIELD(mode_source) },
	{ "ModeReason", read_string, FIELD(mode_reason) },
	{ "DonationSelectCpu", read_bool, FIELD(donation_on[HOOK_SELECT_CPU]) },
	{ "DonationEnqueue", read_bool, FIELD(donation_on[HOOK_ENQUEUE]) },
	{ "DonationEffective", read_hooks, FIELD(donation_effective) },
	{ "LastExit", read_last_exit, FIELD(last_exit) },
	{ "AttachedSinceUSec", read_time, FIELD(attached_since_usec) },
};

static int read_property(sd_bus_message *m, const char *name, struct service_state *state)
{
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (!strcmp(properties[i].name, name))
			return properties[i].read(m, (char *)state + properties[i].offset);
	return sd_bus_message_skip(m, "v"); /* of a newer service, or read elsewhere */
}

static int read_all(sd_bus_message *m, struct service_state *state)
{
	const char *name;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "{sv}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = sd_bus_message_read(m, "s", &name);
		if (r < 0)
			return r;
		r = read_property(m, name, state);
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(m);
		if (r < 0)
			return r;
	}
	return r;
}

int service_state_read(struct bus_client *client, sd_bus_error *ret_error, struct service_state *ret)
{
	static const struct bus_method get_all = { "org.freedesktop.DBus.Properties", "GetAll",
						   false, false };
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	struct service_state state = {
		.version = "",
		.kernel_support = "",
		.state = "",
		.reason = "",
		.scheduler = "",
		.foreign = "",
		.mode = "",
		.mode_source = "",
		.mode_reason = "",
		.last_exit = { .kind = "", .reason = "", .message = "" },
	};
	int r;

	r = bus_client_call(client, &get_all, ret_error, &reply, "s", DONOR_INTERFACE);
	if (r < 0)
		return r;
	r = read_all(reply, &state);
	if (r < 0)
		return r;
	state.reply = steal_pointer(reply);
	*ret = state;
	return 0;
}

void service_state_done(struct service_state *state)
{
	state->reply = sd_bus_message_unref(state->reply);
}

bool service_state_is_attached(const struct service_state *state)
{
	return !strcmp(state->state, "attached");
}

int service_state_complain_detached(const struct service_state *state)
{
	/* a reason says what to do, too */
	complain("donor is not attached (%s): %s", safe(state->state),
		 *state->reason ? safe(state->reason) : "attach it with: donorctl attach");
	return STATUS_NOT_ATTACHED;
}
