/* SPDX-License-Identifier: GPL-2.0-only */

#include <string.h>

#include "service/resolve.h"

static const char *const words[_SOURCE_MAX] = {
	[SOURCE_LOCKED] = "locked",
	[SOURCE_LOW_BATTERY] = "low-battery",
	[SOURCE_HOLD] = "hold",
	[SOURCE_OVERRIDE] = "override",
	[SOURCE_SOFT_HOLD] = "hold",
	[SOURCE_PROFILE] = "profile",
	[SOURCE_POWER_SOURCE] = "power-source",
	[SOURCE_CONFIG] = "config",
};

const char *source_to_string(enum mode_source source)
{
	return source < _SOURCE_MAX ? words[source] : "unknown";
}

static enum mode_source first_present(const struct mode_inputs *inputs, enum mode_source source)
{
	while (source < SOURCE_CONFIG && !inputs->candidates[source].present)
		source++;
	return source;
}

/* A person's or a program's choice is not capped: whoever asks has seen that it is hot. */
static bool is_automatic(enum mode_source source)
{
	return source >= SOURCE_PROFILE;
}

static bool is_capped(const struct mode_inputs *inputs, enum mode_source source)
{
	return inputs->is_degraded && is_automatic(source) &&
	       inputs->candidates[source].mode > inputs->degraded_mode;
}

static enum donor_mode mode_of(const struct mode_inputs *inputs, enum mode_source source)
{
	return is_capped(inputs, source) ? inputs->degraded_mode : inputs->candidates[source].mode;
}

struct resolution resolve(const struct mode_inputs *inputs)
{
	enum mode_source source = first_present(inputs, 0);
	enum mode_source beneath =
		source < SOURCE_CONFIG ? first_present(inputs, source + 1) : source;
	struct resolution result = {
		.mode = mode_of(inputs, source),
		.source = source,
		.beneath_mode = mode_of(inputs, beneath),
		.beneath_source = beneath,
	};

	memcpy(result.reason,
	       is_capped(inputs, source) ? inputs->degraded_reason
					 : inputs->candidates[source].reason,
	       sizeof(result.reason));
	return result;
}
