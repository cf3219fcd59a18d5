/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/mode.h"

/* Single knobs by name and value, and which values fit each other. Pure. */

/* Two knobs of which the one must not be above the other. */
struct knob_pair {
	const struct knob *small, *large;
};

/* NULL: there is no such knob. */
const struct knob *knob_find(const char *name);

/*
 * Reads a number in the knob's unit. A time may have a unit of its own, as in "500us", and a switch
 * may be yes or no. -EINVAL: no number. -ERANGE: out of bounds.
 */
int knob_parse(const struct knob *knob, const char *text, __u64 *ret);

/* "a number from 100000 to 20000000 (ns)", "0 or 1". */
const char *knob_values(const struct knob *knob, char *buf, size_t size);

/*
 * Would the scheduler do what is meant with this set? Each value is within its bounds; what is
 * asked here is whether they fit each other. -EINVAL: the two that do not are in *ret.
 */
int parameters_check(const struct donor_params *params, struct knob_pair *ret);

/* The same for all that a wish gives in any mode, before wish_to_params() takes something back. */
int wish_check(const struct wish *wish, enum donor_mode *ret_mode, struct knob_pair *ret_pair);

/* One knob of a tuning. */
static inline bool tuning_has(const struct tuning *tuning, const struct knob *knob)
{
	return tuning->given & 1ULL << (knob - knobs);
}

static inline void tuning_set(struct tuning *tuning, const struct knob *knob, __u64 value)
{
	tuning->given |= 1ULL << (knob - knobs);
	tuning->values[knob - knobs] = value;
}

static inline void tuning_clear(struct tuning *tuning, const struct knob *knob)
{
	tuning->given &= ~(1ULL << (knob - knobs));
	tuning->values[knob - knobs] = 0;
}
