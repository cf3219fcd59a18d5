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
 * asked here is whether they fit each other. about: look only at pairs with this knob; NULL: at
 * all. -EINVAL: the two that do not fit are in *ret.
 */
int parameters_check(const struct donor_params *params, const struct knob *about,
		     struct knob_pair *ret);

/* The same for all that a wish gives in any mode, before wish_to_params() takes something back. */
int wish_check(const struct wish *wish, const struct knob *about, enum donor_mode *ret_mode,
	       struct knob_pair *ret_pair);

/* The switches of donation are knobs, too. False: it is another one. */
bool knob_is_hook(const struct knob *knob, enum donor_hook *ret);

/* One knob of a tuning. */
static inline __u64 knob_bit(const struct knob *knob)
{
	return 1ULL << (knob - knobs);
}

static inline bool tuning_has(const struct tuning *tuning, const struct knob *knob)
{
	return tuning->given & knob_bit(knob);
}

static inline bool tuning_persists(const struct tuning *tuning, const struct knob *knob)
{
	return tuning->persists & knob_bit(knob);
}

static inline void tuning_clear(struct tuning *tuning, const struct knob *knob)
{
	tuning->given &= ~knob_bit(knob);
	tuning->persists &= ~knob_bit(knob);
	tuning->values[knob - knobs] = 0;
}

static inline void tuning_set(struct tuning *tuning, const struct knob *knob, __u64 value,
			      bool persists)
{
	tuning_clear(tuning, knob);
	tuning->given |= knob_bit(knob);
	tuning->persists |= persists ? knob_bit(knob) : 0;
	tuning->values[knob - knobs] = value;
}
