/* SPDX-License-Identifier: GPL-2.0-only */

/* org.donor.Scheduler1: what it announces. */

#include <stddef.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-scheduler.h"

/* Where the value of each property that changes lies in struct status. */
#define MEMBER(member) offsetof(struct status, member), sizeof(((struct status *)NULL)->member)
static const struct {
	const char *property;
	size_t offset;
	size_t size;
} members[] = {
	{ "KernelSupport", MEMBER(support) },
	{ "State", MEMBER(state) },
	{ "StateReason", MEMBER(reason) },
	{ "SchedulerName", MEMBER(scheduler_name) },
	{ "ForeignScheduler", MEMBER(foreign) },
	{ "Mode", MEMBER(mode) },
	{ "Modes", MEMBER(modes) },
	{ "ModeSource", MEMBER(resolution.in_force.source) },
	{ "ModeReason", MEMBER(resolution.in_force.reason) },
	{ "ModeBeneath", MEMBER(resolution.beneath) },
	{ "Override", MEMBER(override) },
	{ "Holds", MEMBER(nr_hold_changes) },
	{ "DefaultMode", MEMBER(default_mode) },
	{ "FollowPowerProfiles", MEMBER(follows_profiles) },
	{ "PowerProfile", MEMBER(profile) },
	{ "PowerProfilesProvider", MEMBER(profiles_provider) },
	{ "PerformanceDegraded", MEMBER(degraded) },
	{ "OnBattery", MEMBER(on_battery) },
	{ "DonationSelectCpu", MEMBER(donation[DONOR_HOOK_SELECT_CPU]) },
	{ "DonationEnqueue", MEMBER(donation[DONOR_HOOK_ENQUEUE]) },
	{ "DonationEffective", MEMBER(effective) },
	{ "LastExit", MEMBER(last_exit.realtime_us) },
	{ "AttachedSinceUSec", MEMBER(attached_since_us) },
	{ "Restarts", MEMBER(nr_restarts) },
	{ "NextAttemptUSec", MEMBER(next_attempt_us) },
	{ "Adopted", MEMBER(adopted) },
};

enum { NR_MEMBERS = sizeof(members) / sizeof(members[0]) };

int bus_scheduler_changed(sd_bus *bus, const struct status *before, const struct status *after)
{
	const char *changed[NR_MEMBERS + 1] = {};
	unsigned nr_changed = 0;

	/* Bytes may be compared: attachment_status() clears what a string does not fill. */
	for (unsigned i = 0; i < NR_MEMBERS; i++)
		if (memcmp((const char *)before + members[i].offset,
			   (const char *)after + members[i].offset, members[i].size) != 0)
			changed[nr_changed++] = members[i].property;
	/* An empty list makes no signal. */
	return sd_bus_emit_properties_changed_strv(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE,
						   (char **)changed);
}

int bus_scheduler_emit_mode_changed(sd_bus *bus, enum donor_mode before, enum donor_mode after,
				    const char *source, const char *reason)
{
	return sd_bus_emit_signal(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE, "ModeChanged", "ssss",
				  mode_to_string(before), mode_to_string(after), source, reason);
}

int bus_scheduler_emit_donation_changed(sd_bus *bus, enum donor_hook hook, bool on,
					const char *reason)
{
	return sd_bus_emit_signal(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE, "DonationChanged", "sbs",
				  hook_to_string(hook), on, reason);
}

int bus_scheduler_emit_attached(sd_bus *bus, const char *name, bool adopted)
{
	return sd_bus_emit_signal(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE, "Attached", "sb", name,
				  adopted);
}

int bus_scheduler_emit_exited(sd_bus *bus, const struct exit_info *last, bool will_retry)
{
	return sd_bus_emit_signal(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE, "Exited", "sxssb",
				  last->kind, last->code, last->reason, last->message, will_retry);
}
