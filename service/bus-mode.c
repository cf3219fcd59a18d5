/* SPDX-License-Identifier: GPL-2.0-only */

/* org.donor.Scheduler1: the mode, who chose it, and a person's choice. Marshalling only. */

#include <errno.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-error.h"
#include "service/bus-mode.h"
#include "service/bus-options.h"
#include "service/bus-property.h"

/* Properties */

STATUS_PROPERTY(mode, "s", mode_to_string(status->mode))
STATUS_PROPERTY(mode_source, "s", source_to_string(status->resolution.in_force.source))
STATUS_PROPERTY(mode_reason, "s", status->resolution.in_force.reason)
STATUS_PROPERTY(default_mode, "s", mode_to_string(status->default_mode))

PROPERTY(mode_beneath)
{
	const struct mode_verdict *beneath = &manager_status(userdata)->resolution.beneath;

	return sd_bus_message_append(reply, "(sss)", mode_to_string(beneath->mode),
				     source_to_string(beneath->source), beneath->reason);
}

PROPERTY(override)
{
	const struct override *override = &manager_status(userdata)->override;
	int r;

	r = sd_bus_message_open_container(reply, 'a', "{sv}");
	if (r < 0)
		return r;
	if (override->present)
		r = sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}{sv}{sv}{sv}", "Mode", "s",
					  mode_to_string(override->mode), "Until", "s",
					  until_to_string(override->until), "Since", "t",
					  override->since_us, "Uid", "u", override->uid, "EndsUSec",
					  "t", override->ends_us, "Persist", "b", override->persist,
					  "Reason", "s", override->reason);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int append_parameters(sd_bus_message *reply, const struct donor_params *params)
{
	int r;

	r = sd_bus_message_open_container(reply, 'e', "sv");
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "s", "Parameters");
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(reply, 'v', "a{st}");
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(reply, 'a', "{st}");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < nr_knobs; i++) {
		r = sd_bus_message_append(reply, "{st}", knobs[i].name,
					  (uint64_t)knob_get(params, &knobs[i]));
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < 3; i++) {
		r = sd_bus_message_close_container(reply);
		if (r < 0)
			return r;
	}
	return 0;
}

static int append_mode(sd_bus_message *reply, const struct status *status, enum donor_mode mode)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "{sv}");
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "{sv}{sv}", "Name", "s", mode_to_string(mode),
				  "Description", "s", mode_description(mode));
	if (r < 0)
		return r;
	r = append_parameters(reply, &status->modes[mode]);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

PROPERTY(modes)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	if (r < 0)
		return r;
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		r = append_mode(reply, manager_status(userdata), mode);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

/* Methods */

static int reply_effective(sd_bus_message *message, struct manager *manager)
{
	return sd_bus_reply_method_return(message, "s",
					  mode_to_string(manager_status(manager)->mode));
}

/* What SetMode was given, in its own words; NULL or 0 where it was not. */
struct choice {
	const char *until;
	const char *reason;
	uint64_t timeout_us;
	int persist;
	int keep_holds;
};

/* So that no sum of times can overflow; nobody waits longer. */
#define LONGEST_US (UINT64_C(100) * 366 * 86400 * 1000000)

static int read_end(struct manager *manager, const struct choice *choice, struct override *ret,
		    sd_bus_error *error)
{
	const struct request_config *config = manager_requests(manager);

	ret->until = config->until;
	if (choice->until && until_from_string(choice->until, &ret->until) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "until cannot be '%s'; it is released, profile-change, "
					 "power-source-change or reboot.",
					 choice->until);
	if (choice->timeout_us > LONGEST_US)
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS,
					"timeout-usec is longer than a century; leave it out.");
	if (choice->persist > 0 && ret->until == UNTIL_REBOOT)
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS,
					"What is to outlive a reboot cannot end by it: leave out "
					"persist, or give another until.");
	ret->persist = choice->persist >= 0 ? choice->persist : config->persist;
	ret->persist = ret->persist && ret->until != UNTIL_REBOOT;
	return 0;
}

static int read_override(struct manager *manager, const char *mode, const struct choice *choice,
			 struct override *ret, sd_bus_error *error)
{
	struct override override = { .present = true };
	int r;

	if (mode_from_string(mode, &override.mode) < 0)
		return bus_error_no_such_mode(error, mode);
	r = read_end(manager, choice, &override, error);
	if (r < 0)
		return r;
	r = bus_error_check_text(error, "reason", choice->reason);
	if (r < 0)
		return r;
	sender_text_copy(override.reason, choice->reason);
	*ret = override;
	return 0;
}

static int method_set_mode(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct choice choice = { .reason = "", .persist = -1 };
	const struct bus_option options[] = {
		{ "until", SD_BUS_TYPE_STRING, &choice.until },
		{ "timeout-usec", SD_BUS_TYPE_UINT64, &choice.timeout_us },
		{ "persist", SD_BUS_TYPE_BOOLEAN, &choice.persist },
		{ "reason", SD_BUS_TYPE_STRING, &choice.reason },
		{ "keep-holds", SD_BUS_TYPE_BOOLEAN, &choice.keep_holds },
		{},
	};
	struct override override;
	struct bus_caller caller;
	const char *mode;
	int r;

	r = access_check(message, ACCESS_SET_MODE, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = sd_bus_message_read(message, "s", &mode);
	if (r < 0)
		return r;
	r = bus_options_read(message, options, error);
	if (r < 0)
		return r;
	r = read_override(userdata, mode, &choice, &override, error);
	if (r < 0)
		return r;
	caller = bus_caller(message);
	override.uid = caller.uid;
	r = manager_set_mode(userdata, &override, choice.timeout_us, choice.keep_holds, caller.who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	return reply_effective(message, userdata);
}

static int method_release_override(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	int r;

	r = access_check(message, ACCESS_SET_MODE, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = manager_release_override(userdata, bus_caller(message).who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	return reply_effective(message, userdata);
}

/* One member per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Mode", "s", property_mode, 0, EMITS),
	SD_BUS_PROPERTY("ModeSource", "s", property_mode_source, 0, EMITS),
	SD_BUS_PROPERTY("ModeReason", "s", property_mode_reason, 0, EMITS),
	SD_BUS_PROPERTY("ModeBeneath", "(sss)", property_mode_beneath, 0, EMITS),
	SD_BUS_PROPERTY("DefaultMode", "s", property_default_mode, 0, EMITS),
	SD_BUS_PROPERTY("Modes", "aa{sv}", property_modes, 0, EMITS),
	SD_BUS_PROPERTY("Override", "a{sv}", property_override, 0, EMITS),

	SD_BUS_METHOD_WITH_ARGS("SetMode",
				SD_BUS_ARGS("s", mode, "a{sv}", options),
				SD_BUS_RESULT("s", effective),
				method_set_mode, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ReleaseOverride",
				SD_BUS_NO_ARGS, SD_BUS_RESULT("s", effective),
				method_release_override, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_mode_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE, vtable,
					manager);
}
