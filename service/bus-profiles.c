/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-error.h"
#include "service/bus-profiles-private.h"

#define OURSELVES "donor"

const struct profiles_end profiles_ends[NR_PROFILES_ENDS] = {
	{ POWER_PROFILES_PATH, POWER_PROFILES_NAME },
	{ OLD_POWER_PROFILES_PATH, OLD_POWER_PROFILES_NAME },
};

/* Profiles and modes have the same order. */
static unsigned active(const struct bus_profiles *profiles)
{
	unsigned profile = manager_status(profiles->manager)->mode;

	(void)offer_active(&profiles->offer, &profile);
	return profile;
}

void profiles_emit(struct bus_profiles *profiles, const char *property)
{
	char *const names[] = { (char *)property, NULL };

	for (unsigned i = 0; i < NR_PROFILES_ENDS; i++)
		(void)sd_bus_emit_properties_changed_strv(profiles->bus, profiles_ends[i].path,
							  profiles_ends[i].interface,
							  (char **)names);
}

int profiles_no_such(sd_bus_error *error, const char *name)
{
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "There is no power profile '%s'; they are power-saver, balanced "
				 "and performance.",
				 name);
}

void bus_profiles_announce(struct bus_profiles *profiles)
{
	if (profiles->announced == active(profiles))
		return;
	profiles->announced = active(profiles);
	profiles_emit(profiles, "ActiveProfile");
}

/* Properties */

#define PROPERTY(name)                                                                             \
	static int property_##name(sd_bus *bus, const char *path, const char *interface,           \
				   const char *property, sd_bus_message *reply, void *userdata,    \
				   sd_bus_error *error)

PROPERTY(active)
{
	return sd_bus_message_append(reply, "s", profile_names[active(userdata)]);
}

/* It sets no clocks, so it does not see that they are kept low. */
PROPERTY(empty)
{
	return sd_bus_message_append(reply, "s", "");
}

PROPERTY(version)
{
	return sd_bus_message_append(reply, "s", DONOR_VERSION);
}

PROPERTY(battery_aware)
{
	return sd_bus_message_append(reply, "b", false);
}

/* powerprofilesctl shows the driver by its newer name only. */
PROPERTY(profiles)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < NR_POWER_PROFILES; i++) {
		r = sd_bus_message_append(reply, "a{sv}", 3, "Profile", "s", profile_names[i],
					  "Driver", "s", OURSELVES, "CpuDriver", "s", OURSELVES);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

PROPERTY(actions)
{
	return sd_bus_message_append(reply, "as", 0);
}

PROPERTY(actions_info)
{
	return sd_bus_message_append(reply, "aa{sv}", 0);
}

PROPERTY(holds)
{
	const struct bus_profiles *profiles = userdata;
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	if (r < 0)
		return r;
	for (const struct offer_hold *hold = profiles->offer.holds; hold; hold = hold->next) {
		r = sd_bus_message_append(reply, "a{sv}", 3, "Profile", "s",
					  profile_names[hold->profile], "Reason", "s", hold->reason,
					  "ApplicationId", "s", hold->application);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

/*
 * A person moves the slider: that ends the holds, as users of power-profiles-daemon know it. If the
 * kernel does not take the change, all is as it was. Whether the sender may is known: see gate().
 */
static int set_active(sd_bus *bus, const char *path, const char *interface, const char *property,
		      sd_bus_message *value, void *userdata, sd_bus_error *error)
{
	struct bus_profiles *profiles = userdata;
	const struct offer before = profiles->offer;
	const char *name;
	unsigned profile;
	int r;

	r = sd_bus_message_read(value, "s", &name);
	if (r < 0)
		return r;
	if (profile_from_string(name, &profile) < 0)
		return profiles_no_such(error, name);
	profiles->offer = (struct offer){ .is_chosen = true, .chosen = profile };
	r = manager_offer_changed(profiles->manager, true, bus_caller(value).who);
	if (r < 0) {
		profiles->offer = before;
		return bus_error_set(error, r, manager_reason(profiles->manager));
	}
	profiles->offer.holds = before.holds;
	profiles_end_holds(profiles);
	if (before.holds)
		profiles_emit(profiles, "ActiveProfileHolds");
	return 0;
}

static int set_battery_aware(sd_bus *bus, const char *path, const char *interface,
			     const char *property, sd_bus_message *value, void *userdata,
			     sd_bus_error *error)
{
	int r, wanted;

	r = sd_bus_message_read(value, "b", &wanted);
	if (r < 0 || !wanted)
		return r;
	return sd_bus_error_set(error, SD_BUS_ERROR_NOT_SUPPORTED,
				"The power profiles of donor do not depend on the battery; see "
				"[Battery] in donor.conf(5).");
}

static int method_set_action_enabled(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *action;
	int r, enabled;

	r = sd_bus_message_read(message, "sb", &action, &enabled);
	if (r < 0)
		return r;
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "There is no action '%s': the power profiles of donor have none.",
				 action);
}

#define EMITS SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
#define OPEN SD_BUS_VTABLE_UNPRIVILEGED

/* clang-format off */
/* What both names have. */
#define COMMON_MEMBERS \
	SD_BUS_WRITABLE_PROPERTY("ActiveProfile", "s", property_active, set_active, 0, EMITS | OPEN), \
	SD_BUS_PROPERTY("PerformanceInhibited", "s", property_empty, 0, EMITS), \
	SD_BUS_PROPERTY("PerformanceDegraded", "s", property_empty, 0, EMITS), \
	SD_BUS_PROPERTY("Profiles", "aa{sv}", property_profiles, 0, EMITS), \
	SD_BUS_PROPERTY("Actions", "as", property_actions, 0, EMITS), \
	SD_BUS_PROPERTY("ActiveProfileHolds", "aa{sv}", property_holds, 0, EMITS), \
	SD_BUS_PROPERTY("Version", "s", property_version, 0, EMITS), \
	SD_BUS_METHOD_WITH_ARGS("HoldProfile", \
				SD_BUS_ARGS("s", profile, "s", reason, "s", application_id), \
				SD_BUS_RESULT("u", cookie), profiles_hold, OPEN), \
	SD_BUS_METHOD_WITH_ARGS("ReleaseProfile", \
				SD_BUS_ARGS("u", cookie), \
				SD_BUS_NO_RESULT, profiles_release, OPEN), \
	SD_BUS_SIGNAL_WITH_ARGS("ProfileReleased", SD_BUS_ARGS("u", cookie), 0)

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	COMMON_MEMBERS,
	SD_BUS_PROPERTY("ActionsInfo", "aa{sv}", property_actions_info, 0, EMITS),
	SD_BUS_WRITABLE_PROPERTY("BatteryAware", "b", property_battery_aware, set_battery_aware, 0,
				 EMITS | OPEN),
	SD_BUS_METHOD_WITH_ARGS("SetActionEnabled",
				SD_BUS_ARGS("s", action, "b", enabled),
				SD_BUS_NO_RESULT, method_set_action_enabled, OPEN),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable old_vtable[] = {
	SD_BUS_VTABLE_START(0),
	COMMON_MEMBERS,
	SD_BUS_VTABLE_END,
};
/* clang-format on */

/*
 * A setter of sd-bus must answer at once, and polkit may take as long as a person: so the question
 * is asked here, before the setter is reached.
 */
static int gate(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	int r;

	if (!sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Set"))
		return 0;
	r = access_check(message, ACCESS_SET_MODE, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	return 0;
}

static int add_end(struct bus_profiles *profiles, unsigned i)
{
	int r;

	r = sd_bus_add_object(profiles->bus, &profiles->gates[i], profiles_ends[i].path, gate,
			      profiles);
	if (r < 0)
		return r;
	return sd_bus_add_object_vtable(profiles->bus, &profiles->vtables[i], profiles_ends[i].path,
					profiles_ends[i].interface, i == 0 ? vtable : old_vtable,
					profiles);
}

int bus_profiles_new(struct bus_profiles **ret, sd_bus *bus, struct manager *manager,
		     const char *chosen)
{
	_cleanup_(bus_profiles_freep) struct bus_profiles *profiles = NULL;
	int r;

	profiles = calloc(1, sizeof(*profiles));
	if (!profiles)
		return -ENOMEM;
	profiles->bus = sd_bus_ref(bus);
	profiles->manager = manager;
	profiles->offer.is_chosen = profile_from_string(chosen, &profiles->offer.chosen) == 0;
	profiles->announced = active(profiles);
	for (unsigned i = 0; i < NR_PROFILES_ENDS; i++) {
		r = add_end(profiles, i);
		if (r < 0)
			return r;
	}
	*ret = steal_pointer(profiles);
	return 0;
}

struct bus_profiles *bus_profiles_free(struct bus_profiles *profiles)
{
	if (!profiles)
		return NULL;
	profiles_end_holds(profiles);
	for (unsigned i = 0; i < NR_PROFILES_ENDS; i++) {
		sd_bus_slot_unref(profiles->gates[i]);
		sd_bus_slot_unref(profiles->vtables[i]);
	}
	sd_bus_unref(profiles->bus);
	free(profiles);
	return NULL;
}

struct profile_state bus_profiles_state(const struct bus_profiles *profiles)
{
	struct profile_state state = { .provider = OURSELVES };
	unsigned profile;

	state.is_idle = !offer_active(&profiles->offer, &profile);
	(void)snprintf(state.profile, sizeof(state.profile), "%s", profile_names[active(profiles)]);
	return state;
}
