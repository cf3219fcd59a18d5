/* SPDX-License-Identifier: GPL-2.0-only */

#include "service/automatic.h"

void automatic_inputs(const struct automatic_config *config, const struct automatic_news *news,
		      struct mode_inputs *inputs)
{
	struct mode_candidate *candidates = inputs->candidates;
	/* Where donor itself offers them, they count once somebody has chosen one. */
	bool is_provided = config->follow && news->profile.provider && !news->profile.is_idle;

	battery_low_candidate(config, news->is_low, &candidates[SOURCE_LOW_BATTERY]);
	profile_candidate(config, &news->profile, &candidates[SOURCE_PROFILE]);
	candidates[SOURCE_POWER_SOURCE] = (struct mode_candidate){};
	if (!is_provided)
		battery_candidate(config, &news->battery, &candidates[SOURCE_POWER_SOURCE]);
	profile_cap(config, &news->profile, inputs);
}

enum donor_mode automatic_mode(const struct mode_inputs *inputs)
{
	struct mode_inputs alone = *inputs;

	alone.candidates[SOURCE_LOCKED].present = false;
	alone.candidates[SOURCE_HOLD].present = false;
	alone.candidates[SOURCE_OVERRIDE].present = false;
	alone.candidates[SOURCE_SOFT_HOLD].present = false;
	return resolve(&alone).in_force.mode;
}
