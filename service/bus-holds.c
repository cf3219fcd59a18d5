/* SPDX-License-Identifier: GPL-2.0-only */

/* org.donor.Scheduler1: the modes that programs hold. Marshalling only. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-error.h"
#include "service/bus-holds.h"
#include "service/bus-options.h"
#include "service/bus-property.h"
#include "service/clock.h"

PROPERTY(holds)
{
	const struct holds *holds = manager_holds(userdata);
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	for (unsigned i = 0; r >= 0 && i < holds->nr; i++) {
		const struct hold *hold = holds->list[i];

		r = sd_bus_message_append(reply, "a{sv}", 7, "Mode", "s",
					  mode_to_string(hold->mode), "Reason", "s", hold->reason,
					  "ApplicationId", "s", hold->application, "Uid", "u",
					  hold->uid, "Since", "t", hold->since_us, "TimeoutUSec",
					  "t", hold->timeout_us, "Soft", "b", hold->soft);
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* Methods */

/* Nothing is held for longer than the administrator allows; 0 is as long as that. */
static int read_timeout(struct manager *manager, uint64_t asked_us, uint64_t *ret_us,
			sd_bus_error *error)
{
	uint64_t most_us = manager_requests(manager)->max_hold_us;

	if (most_us > 0 && asked_us > most_us)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "timeout-usec cannot be more than %" PRIu64
					 " here; leave it out for that.",
					 most_us);
	*ret_us = asked_us > 0 ? asked_us : most_us;
	return 0;
}

static int read_hold(struct manager *manager, sd_bus_message *message, struct hold *ret,
		     int *ret_pidfd, sd_bus_error *error)
{
	const char *mode, *reason, *application;
	uint64_t timeout_us = 0;
	int soft = false, pidfd = -1, r;
	const struct bus_option options[] = {
		{ "timeout-usec", SD_BUS_TYPE_UINT64, &timeout_us },
		{ "pidfd", SD_BUS_TYPE_UNIX_FD, &pidfd },
		{ "soft", SD_BUS_TYPE_BOOLEAN, &soft },
		{},
	};

	r = sd_bus_message_read(message, "sss", &mode, &reason, &application);
	if (r < 0)
		return r;
	r = bus_options_read(message, options, error);
	if (r < 0)
		return r;
	if (mode_from_string(mode, &ret->mode) < 0)
		return bus_error_no_such_mode(error, mode);
	r = bus_error_check_text(error, "reason", reason);
	if (r < 0)
		return r;
	r = bus_error_check_text(error, "application_id", application);
	if (r < 0)
		return r;
	sender_text_copy(ret->reason, reason);
	sender_text_copy(ret->application, application);
	ret->soft = soft;
	*ret_pidfd = pidfd;
	return read_timeout(manager, timeout_us, &ret->timeout_us, error);
}

static void name_owner(struct hold *hold, sd_bus_message *message, uint32_t uid)
{
	hold->since_us = now_us(CLOCK_REALTIME);
	hold->uid = uid;
	/* A name is 255 bytes at most. */
	(void)snprintf(hold->owner, sizeof(hold->owner), "%s", sd_bus_message_get_sender(message));
}

static int method_hold_mode(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bus_caller caller;
	struct hold hold = {};
	uint32_t cookie;
	int pidfd = -1, r;

	r = access_check(message, ACCESS_HOLD_MODE, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = read_hold(userdata, message, &hold, &pidfd, error);
	if (r < 0)
		return r;
	caller = bus_caller(message);
	name_owner(&hold, message, caller.uid);
	r = manager_hold_mode(userdata, &hold, pidfd, caller.who, &cookie);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	return sd_bus_reply_method_return(message, "u", cookie);
}

/* Open to all: whose hold it is decides. */
static int method_release_hold(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct bus_caller caller = bus_caller(message);
	uint32_t cookie;
	int r;

	r = sd_bus_message_read(message, "u", &cookie);
	if (r < 0)
		return r;
	r = manager_release_hold(userdata, cookie, sd_bus_message_get_sender(message), caller.uid,
				 caller.who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	return sd_bus_reply_method_return(message, NULL);
}

int bus_holds_emit_released(sd_bus *bus, const struct hold *hold, const char *why)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL;
	int r;

	r = sd_bus_message_new_signal(bus, &message, DONOR_OBJECT_PATH, DONOR_INTERFACE,
				      "HoldReleased");
	if (r < 0)
		return r;
	r = sd_bus_message_append(message, "us", hold->cookie, why);
	if (r < 0)
		return r;
	return sd_bus_send_to(bus, message, hold->owner, NULL);
}

/* One member per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Holds", "aa{sv}", property_holds, 0, EMITS),

	SD_BUS_METHOD_WITH_ARGS("HoldMode",
				SD_BUS_ARGS("s", mode, "s", reason, "s", application_id,
					    "a{sv}", options),
				SD_BUS_RESULT("u", cookie),
				method_hold_mode, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ReleaseHold",
				SD_BUS_ARGS("u", cookie), SD_BUS_NO_RESULT,
				method_release_hold, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_ARGS("HoldReleased",
				SD_BUS_ARGS("u", cookie, "s", why), 0),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_holds_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE, vtable,
					manager);
}
