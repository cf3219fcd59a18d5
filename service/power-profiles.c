/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "dbus/names.h"
#include "service/power-profiles.h"

/* By falling preference. */
enum { NEW_NAME, OLD_NAME, NR_NAMES };

struct power_profiles {
	struct bus_peer *peers[NR_NAMES];
};

const char *const profile_names[NR_POWER_PROFILES] = { "power-saver", "balanced", "performance" };

#define MEMBER(member)                                                                             \
	offsetof(struct profile_state, member), sizeof(((struct profile_state *)NULL)->member)
static const struct peer_property properties[] = {
	{ "ActiveProfile", SD_BUS_TYPE_STRING, MEMBER(profile) },
	{ "PerformanceDegraded", SD_BUS_TYPE_STRING, MEMBER(degraded) },
	{ "Version", SD_BUS_TYPE_STRING, MEMBER(version) },
	{},
};

static const struct peer_interface interfaces[NR_NAMES] = {
	[NEW_NAME] = { POWER_PROFILES_NAME, POWER_PROFILES_PATH, POWER_PROFILES_NAME, properties,
		       sizeof(struct profile_state) },
	[OLD_NAME] = { OLD_POWER_PROFILES_NAME, OLD_POWER_PROFILES_PATH, OLD_POWER_PROFILES_NAME,
		       properties, sizeof(struct profile_state) },
};

static const struct mode_choice *choice_for(const struct automatic_config *config,
					    const char *profile)
{
	for (unsigned i = 0; i < NR_POWER_PROFILES; i++)
		if (strcmp(profile, profile_names[i]) == 0)
			return &config->profiles[i];
	return &config->unknown;
}

void profile_candidate(const struct automatic_config *config, const struct profile_state *state,
		       struct mode_candidate *ret)
{
	const struct mode_choice *choice = choice_for(config, state->profile);

	*ret = (struct mode_candidate){};
	if (config->follow && state->provider && state->profile[0] && choice->present &&
	    !state->is_idle)
		*ret = mode_candidate(choice->mode, "power profile \"%s\" of %s%s%s",
				      state->profile, state->provider, state->version[0] ? " " : "",
				      state->version);
}

void profile_cap(const struct automatic_config *config, const struct profile_state *state,
		 struct mode_inputs *inputs)
{
	inputs->is_degraded = config->follow && config->on_degraded.present && state->provider &&
			      state->degraded[0];
	inputs->degraded_mode = config->on_degraded.mode;
	memset(inputs->degraded_reason, 0, sizeof(inputs->degraded_reason));
	(void)snprintf(inputs->degraded_reason, sizeof(inputs->degraded_reason),
		       "performance is degraded: %s", state->degraded);
}

int power_profiles_new(struct power_profiles **ret, sd_bus *bus, peer_handler_t handler,
		       void *userdata)
{
	_cleanup_(power_profiles_freep) struct power_profiles *profiles = NULL;
	int r;

	profiles = calloc(1, sizeof(*profiles));
	if (!profiles)
		return -ENOMEM;
	for (unsigned i = 0; i < NR_NAMES; i++) {
		r = bus_peer_new(&profiles->peers[i], bus, &interfaces[i], handler, userdata);
		if (r < 0)
			return r;
	}
	*ret = steal_pointer(profiles);
	return 0;
}

struct power_profiles *power_profiles_free(struct power_profiles *profiles)
{
	if (!profiles)
		return NULL;
	for (unsigned i = 0; i < NR_NAMES; i++)
		bus_peer_free(profiles->peers[i]);
	free(profiles);
	return NULL;
}

bool power_profiles_have_owner(const struct power_profiles *profiles)
{
	return bus_peer_has_owner(profiles->peers[NEW_NAME]) ||
	       bus_peer_has_owner(profiles->peers[OLD_NAME]);
}

struct profile_state power_profiles_state(const struct power_profiles *profiles)
{
	struct profile_state state = {};

	for (unsigned i = 0; i < NR_NAMES && !state.provider; i++) {
		const struct profile_state *values = bus_peer_values(profiles->peers[i]);

		if (!values)
			continue;
		state = *values;
		state.provider = interfaces[i].bus_name;
	}
	return state;
}
