/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "bpf/abi.h"

/*
 * Which mode is in force. Whoever has a say in it offers a candidate, and the first one in the
 * order of enum mode_source that has something to say wins. Pure: nothing is remembered, so
 * whenever a candidate changes, resolve anew.
 */

/* By falling rank. */
enum mode_source {
	SOURCE_LOCKED, /* the administrator's Lock= */
	SOURCE_LOW_BATTERY,
	SOURCE_HOLD, /* a program that holds a mode */
	SOURCE_OVERRIDE, /* a person's SetMode */
	SOURCE_SOFT_HOLD, /* a hold that yields to a person's choice */
	SOURCE_PROFILE, /* the desktop's power profile */
	SOURCE_POWER_SOURCE, /* battery or mains, where nobody provides power profiles */
	SOURCE_CONFIG,
	_SOURCE_MAX,
};

enum { MODE_REASON_BYTES = 384 };

struct mode_candidate {
	bool present;
	enum donor_mode mode;
	char reason[MODE_REASON_BYTES]; /* for a person: by whom, since what */
};

struct mode_inputs {
	struct mode_candidate candidates[_SOURCE_MAX]; /* SOURCE_CONFIG is always present */
	/* The computer is too hot, or on a lap: no automatic source gets more than this mode. */
	bool is_degraded;
	enum donor_mode degraded_mode;
	char degraded_reason[MODE_REASON_BYTES];
};

struct mode_verdict {
	enum donor_mode mode;
	enum mode_source source;
	char reason[MODE_REASON_BYTES];
};

struct resolution {
	struct mode_verdict in_force;
	struct mode_verdict beneath; /* without the winner; the same for SOURCE_CONFIG */
};

struct resolution resolve(const struct mode_inputs *inputs);

/* A candidate that has something to say; the reason is cut to what fits. */
struct mode_candidate mode_candidate(enum donor_mode mode, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The word on the bus; SOURCE_SOFT_HOLD is "hold" as well. */
const char *source_to_string(enum mode_source source);
