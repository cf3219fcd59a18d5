/* SPDX-License-Identifier: GPL-2.0-only */

#include "dbus/names.h"
#include "service/bus-automatic.h"
#include "service/bus-property.h"

STATUS_PROPERTY(follow_power_profiles, "b", status->follows_profiles)
STATUS_PROPERTY(power_profile, "s", status->profile)
STATUS_PROPERTY(power_profiles_provider, "s", status->profiles_provider)
STATUS_PROPERTY(performance_degraded, "s", status->degraded)
STATUS_PROPERTY(on_battery, "b", status->on_battery)

/* One member per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("FollowPowerProfiles", "b", property_follow_power_profiles, 0, EMITS),
	SD_BUS_PROPERTY("PowerProfile", "s", property_power_profile, 0, EMITS),
	SD_BUS_PROPERTY("PowerProfilesProvider", "s", property_power_profiles_provider, 0, EMITS),
	SD_BUS_PROPERTY("PerformanceDegraded", "s", property_performance_degraded, 0, EMITS),
	SD_BUS_PROPERTY("OnBattery", "b", property_on_battery, 0, EMITS),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_automatic_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE, vtable,
					manager);
}
