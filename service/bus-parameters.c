/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-error.h"
#include "service/bus-options.h"
#include "service/bus-parameters.h"
#include "service/parameters.h"

static int append_parameter(sd_bus_message *reply, const struct manager *manager,
			    const struct knob *knob)
{
	const struct donor_params *params = &manager_status(manager)->params;
	char origin[CONFIG_ORIGIN_BYTES];

	return sd_bus_message_append(
		reply, "(sttttsss)", knob->name, (uint64_t)knob_get(params, knob),
		(uint64_t)knob->minimum, (uint64_t)knob->maximum,
		(uint64_t)knob_get(mode_defaults(params->mode), knob), knob->unit,
		manager_parameter_origin(manager, knob, origin, sizeof(origin)), knob->help);
}

static int append_parameters(sd_bus_message *reply, const struct manager *manager)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "(sttttsss)");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < nr_knobs; i++) {
		r = append_parameter(reply, manager, &knobs[i]);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

static int method_get_parameters(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	(void)manager_scheduler(userdata); /* what the kernel says now */
	r = sd_bus_message_new_method_return(message, &reply);
	if (r < 0)
		return r;
	r = append_parameters(reply, userdata);
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}

static int read_request(sd_bus_message *message, struct parameter_request *ret, sd_bus_error *error)
{
	struct parameter_request request = {};
	const char *name, *mode = NULL;
	int r, reset = false, persist = false;
	const struct bus_option options[] = {
		{ "mode", SD_BUS_TYPE_STRING, &mode },
		{ "reset", SD_BUS_TYPE_BOOLEAN, &reset },
		{ "persist", SD_BUS_TYPE_BOOLEAN, &persist },
		{},
	};

	r = sd_bus_message_read(message, "st", &name, &request.value);
	if (r < 0)
		return r;
	r = bus_options_read(message, options, error);
	if (r < 0)
		return r;
	request.reset = reset;
	request.persist = persist;
	request.has_mode = mode;
	request.knob = knob_find(name);
	if (!request.knob)
		return bus_error_no_such_parameter(error, name);
	if (mode && mode_from_string(mode, &request.mode) < 0)
		return bus_error_no_such_mode(error, mode);
	*ret = request;
	return 0;
}

static int method_set_parameter(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct parameter_request request;
	int r;

	r = access_check(message, ACCESS_ADMINISTER, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = read_request(message, &request, error);
	if (r < 0)
		return r;
	r = manager_set_parameter(userdata, &request, bus_caller(message).who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	return sd_bus_reply_method_return(
		message, "t", (uint64_t)knob_get(&manager_status(userdata)->params, request.knob));
}

/* One method or signal per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("GetParameters",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("a(sttttsss)", parameters),
				method_get_parameters, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("SetParameter",
				SD_BUS_ARGS("s", name, "t", value, "a{sv}", options),
				SD_BUS_RESULT("t", effective),
				method_set_parameter, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_ARGS("ParametersChanged",
				SD_BUS_ARGS("a{st}", changed, "s", reason), 0),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_parameters_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE, vtable,
					manager);
}

static bool has_changed(const struct status *before, const struct status *after,
			const struct knob *knob)
{
	enum donor_hook hook;

	return !knob_is_hook(knob, &hook) &&
	       knob_get(&before->params, knob) != knob_get(&after->params, knob);
}

/* Returns how many there are. */
static int append_changed(sd_bus_message *signal, const struct status *before,
			  const struct status *after)
{
	int r, nr = 0;

	r = sd_bus_message_open_container(signal, 'a', "{st}");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < nr_knobs; i++) {
		if (!has_changed(before, after, &knobs[i]))
			continue;
		r = sd_bus_message_append(signal, "{st}", knobs[i].name,
					  (uint64_t)knob_get(&after->params, &knobs[i]));
		if (r < 0)
			return r;
		nr++;
	}
	r = sd_bus_message_close_container(signal);
	return r < 0 ? r : nr;
}

int bus_parameters_emit_changed(sd_bus *bus, const struct status *before,
				const struct status *after, const char *reason)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *signal = NULL;
	int r;

	if (before->mode != after->mode)
		return 0;
	r = sd_bus_message_new_signal(bus, &signal, DONOR_OBJECT_PATH, DONOR_INTERFACE,
				      "ParametersChanged");
	if (r < 0)
		return r;
	r = append_changed(signal, before, after);
	if (r <= 0)
		return r;
	r = sd_bus_message_append(signal, "s", reason);
	if (r < 0)
		return r;
	return sd_bus_send(bus, signal, NULL);
}
