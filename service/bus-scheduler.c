/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * org.donor.Scheduler1. Marshalling only: a method reads its arguments, makes one call to the
 * manager and replies. The bus lets everybody call: access_check() decides.
 */

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-error.h"
#include "service/bus-options.h"
#include "service/bus-property.h"
#include "service/bus-scheduler.h"
#include "service/describe.h"

/* Properties */

STATUS_PROPERTY(kernel_support, "s", support_to_string(status->support))
STATUS_PROPERTY(state, "s", state_to_string(status->state))
STATUS_PROPERTY(state_reason, "s", status->reason)
STATUS_PROPERTY(scheduler_name, "s", status->scheduler_name)
STATUS_PROPERTY(foreign_scheduler, "s", status->foreign)
STATUS_PROPERTY(donation_select_cpu, "b", status->donation[DONOR_HOOK_SELECT_CPU])
STATUS_PROPERTY(donation_enqueue, "b", status->donation[DONOR_HOOK_ENQUEUE])
STATUS_PROPERTY(attached_since, "t", status->attached_since_us)
STATUS_PROPERTY(adopted, "b", status->adopted)

PROPERTY(version)
{
	return sd_bus_message_append(reply, "s", DONOR_VERSION);
}

PROPERTY(last_exit)
{
	const struct exit_info *last = &manager_status(userdata)->last_exit;

	return sd_bus_message_append(reply, "(tsxsst)", last->realtime_us, last->kind, last->code,
				     last->reason, last->message, last->attached_us);
}

PROPERTY(donation_effective)
{
	const struct status *status = manager_status(userdata);
	int r;

	r = sd_bus_message_open_container(reply, 'a', "s");
	if (r < 0)
		return r;
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		if (!status->effective[hook])
			continue;
		r = sd_bus_message_append(reply, "s", hook_to_string(hook));
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

/* Methods */

static int method_set_donation(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *name;
	enum donor_hook hook;
	enum donation_choice choice;
	int r, on, follow = false, persist = false;
	const struct bus_option options[] = {
		{ "follow-mode", SD_BUS_TYPE_BOOLEAN, &follow },
		{ "persist", SD_BUS_TYPE_BOOLEAN, &persist },
		{},
	};

	r = access_check(message, ACCESS_CONFIGURE_DONATION, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = sd_bus_message_read(message, "sb", &name, &on);
	if (r < 0)
		return r;
	r = bus_options_read(message, options, error);
	if (r < 0)
		return r;
	if (hook_from_string(name, &hook) < 0)
		return bus_error_no_such_hook(error, name);
	choice = follow ? DONATION_FOLLOWS_MODE : on ? DONATION_ON : DONATION_OFF;
	r = manager_set_donation(userdata, hook, choice, persist, bus_caller(message).who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	return sd_bus_reply_method_return(message, NULL);
}

static int reply_to_order(sd_bus_message *message, struct manager *manager, sd_bus_error *error,
			  int (*order)(struct manager *manager, const char *who))
{
	int r;

	r = access_check(message, ACCESS_ADMINISTER, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = bus_options_read(message, NULL, error);
	if (r < 0)
		return r;
	r = order(manager, bus_caller(message).who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(manager));
	return sd_bus_reply_method_return(message, NULL);
}

static int method_attach(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return reply_to_order(message, userdata, error, manager_attach);
}

static int method_detach(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return reply_to_order(message, userdata, error, manager_detach);
}

static int method_describe(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(freep) char *json = NULL;
	int r;

	r = describe(userdata, &json);
	if (r < 0)
		return r;
	return sd_bus_reply_method_return(message, "s", json);
}

/* One member per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Version", "s", property_version, 0, CONST),
	SD_BUS_PROPERTY("KernelSupport", "s", property_kernel_support, 0, EMITS),
	SD_BUS_PROPERTY("State", "s", property_state, 0, EMITS),
	SD_BUS_PROPERTY("StateReason", "s", property_state_reason, 0, EMITS),
	SD_BUS_PROPERTY("SchedulerName", "s", property_scheduler_name, 0, EMITS),
	SD_BUS_PROPERTY("ForeignScheduler", "s", property_foreign_scheduler, 0, EMITS),
	SD_BUS_PROPERTY("DonationSelectCpu", "b", property_donation_select_cpu, 0, EMITS),
	SD_BUS_PROPERTY("DonationEnqueue", "b", property_donation_enqueue, 0, EMITS),
	SD_BUS_PROPERTY("DonationEffective", "as", property_donation_effective, 0, EMITS),
	SD_BUS_PROPERTY("LastExit", "(tsxsst)", property_last_exit, 0, EMITS),
	SD_BUS_PROPERTY("AttachedSinceUSec", "t", property_attached_since, 0, EMITS),
	SD_BUS_PROPERTY("Adopted", "b", property_adopted, 0, EMITS),

	SD_BUS_METHOD_WITH_ARGS("SetDonation",
				SD_BUS_ARGS("s", hook, "b", on, "a{sv}", options),
				SD_BUS_NO_RESULT,
				method_set_donation, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Attach",
				SD_BUS_ARGS("a{sv}", options),
				SD_BUS_NO_RESULT,
				method_attach, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Detach",
				SD_BUS_ARGS("a{sv}", options),
				SD_BUS_NO_RESULT,
				method_detach, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Describe",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("s", json),
				method_describe, SD_BUS_VTABLE_UNPRIVILEGED),

	SD_BUS_SIGNAL_WITH_ARGS("ModeChanged",
				SD_BUS_ARGS("s", old, "s", new, "s", source, "s", reason), 0),
	SD_BUS_SIGNAL_WITH_ARGS("DonationChanged",
				SD_BUS_ARGS("s", hook, "b", on, "s", reason), 0),
	SD_BUS_SIGNAL_WITH_ARGS("Attached",
				SD_BUS_ARGS("s", name, "b", adopted), 0),
	SD_BUS_SIGNAL_WITH_ARGS("Exited",
				SD_BUS_ARGS("s", kind, "x", code, "s", reason, "s", message,
					    "b", will_retry), 0),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_scheduler_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE, vtable,
					manager);
}
