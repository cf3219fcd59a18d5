/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>

#include "service/battery.h"

#define UPOWER_NAME "org.freedesktop.UPower"
#define UPOWER_PATH "/org/freedesktop/UPower"

struct battery {
	struct bus_peer *upower, *device;
};

struct upower_values {
	bool on_battery;
};

struct device_values {
	bool is_present;
	double percentage;
};

#define MEMBER(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)
static const struct peer_property upower_properties[] = {
	{ "OnBattery", SD_BUS_TYPE_BOOLEAN, MEMBER(struct upower_values, on_battery) },
	{},
};

static const struct peer_property device_properties[] = {
	{ "IsPresent", SD_BUS_TYPE_BOOLEAN, MEMBER(struct device_values, is_present) },
	{ "Percentage", SD_BUS_TYPE_DOUBLE, MEMBER(struct device_values, percentage) },
	{},
};

static const struct peer_interface upower = {
	UPOWER_NAME, UPOWER_PATH, UPOWER_NAME, upower_properties, sizeof(struct upower_values),
};

/* All batteries that feed the computer as one. */
static const struct peer_interface device = {
	UPOWER_NAME,	   UPOWER_PATH "/devices/DisplayDevice", UPOWER_NAME ".Device",
	device_properties, sizeof(struct device_values),
};

bool battery_is_low(const struct automatic_config *config, const struct battery_state *state,
		    bool was_low)
{
	unsigned up_to = config->low_pct + (was_low ? config->hysteresis_pct : 0);

	if (!state->is_known || !state->has_battery || !state->on_battery || config->low_pct == 0)
		return false;
	return was_low ? state->percentage < up_to : state->percentage <= up_to;
}

void battery_candidate(const struct automatic_config *config, const struct battery_state *state,
		       struct mode_candidate *ret)
{
	const struct mode_choice *choice = state->on_battery ? &config->on_battery : &config->on_ac;

	*ret = (struct mode_candidate){};
	if (state->is_known && choice->present)
		*ret = mode_candidate(choice->mode, "on %s, and nobody provides power profiles",
				      state->on_battery ? "battery" : "mains");
}

/* Without the percentage: the reason must not change with each one. */
void battery_low_candidate(const struct automatic_config *config, bool is_low,
			   struct mode_candidate *ret)
{
	*ret = (struct mode_candidate){};
	if (is_low && config->low.present)
		*ret = mode_candidate(config->low.mode, "the battery is low: %u %% or less",
				      config->low_pct);
}

int battery_new(struct battery **ret, sd_bus *bus, peer_handler_t handler, void *userdata)
{
	_cleanup_(battery_freep) struct battery *battery = NULL;
	int r;

	battery = calloc(1, sizeof(*battery));
	if (!battery)
		return -ENOMEM;
	r = bus_peer_new(&battery->upower, bus, &upower, handler, userdata);
	if (r < 0)
		return r;
	r = bus_peer_new(&battery->device, bus, &device, handler, userdata);
	if (r < 0)
		return r;
	*ret = steal_pointer(battery);
	return 0;
}

struct battery *battery_free(struct battery *battery)
{
	if (!battery)
		return NULL;
	bus_peer_free(battery->upower);
	bus_peer_free(battery->device);
	free(battery);
	return NULL;
}

struct battery_state battery_state(const struct battery *battery)
{
	const struct upower_values *computer = bus_peer_values(battery->upower);
	const struct device_values *values = bus_peer_values(battery->device);
	struct battery_state state = {};

	if (computer) {
		state.is_known = true;
		state.on_battery = computer->on_battery;
	}
	if (values) {
		state.has_battery = values->is_present;
		state.percentage = values->percentage;
	}
	return state;
}

int battery_wake(struct battery *battery)
{
	return bus_peer_start(battery->upower);
}
