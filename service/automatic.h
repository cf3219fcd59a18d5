/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/battery.h"
#include "service/config.h"
#include "service/power-profiles.h"
#include "service/resolve.h"

/* What chooses a mode by itself, put together from those who know. Pure. */

struct automatic_news {
	struct profile_state profile;
	struct battery_state battery;
	bool is_low; /* the battery */
};

/* What the sources now have to say; of the inputs, all that others say is left alone. */
void automatic_inputs(const struct automatic_config *config, const struct automatic_news *news,
		      struct mode_inputs *inputs);

/* The mode that these sources and the configuration alone amount to. */
enum donor_mode automatic_mode(const struct mode_inputs *inputs);
