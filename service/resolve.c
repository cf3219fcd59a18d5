/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdarg.h>
#include <stdio.h>
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

static struct mode_verdict verdict(const struct mode_inputs *inputs, enum mode_source source)
{
	const struct mode_candidate *candidate = &inputs->candidates[source];
	bool capped = is_capped(inputs, source);
	struct mode_verdict verdict = {
		.mode = capped ? inputs->degraded_mode : candidate->mode,
		.source = source,
	};

	memcpy(verdict.reason, capped ? inputs->degraded_reason : candidate->reason,
	       sizeof(verdict.reason));
	return verdict;
}

struct resolution resolve(const struct mode_inputs *inputs)
{
	enum mode_source source = first_present(inputs, 0);

	return (struct resolution){
		.in_force = verdict(inputs, source),
		.beneath = verdict(inputs, source < SOURCE_CONFIG ? first_present(inputs, source + 1)
								  : source),
	};
}

struct mode_candidate mode_candidate(enum donor_mode mode, const char *format, ...)
{
	/* Cleared behind the text: what is shown to the bus is compared by bytes. */
	struct mode_candidate candidate = { .present = true, .mode = mode };
	va_list args;

	va_start(args, format);
	(void)vsnprintf(candidate.reason, sizeof(candidate.reason), format, args);
	va_end(args);
	return candidate;
}
