/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"

/* Modes and hooks by name, and the parameters that knobs.def gives each mode. Pure. */

/* -ENOENT: no such mode. The names of power profiles, power-saver and powersave, mean power. */
int mode_from_string(const char *name, enum donor_mode *ret);
const char *mode_to_string(enum donor_mode mode);
const char *mode_description(enum donor_mode mode);

/* -ENOENT: no such hook. */
int hook_from_string(const char *name, enum donor_hook *ret);
const char *hook_to_string(enum donor_hook hook);

/* A person's choice for one hook; without one the mode decides. */
enum donation_choice {
	DONATION_FOLLOWS_MODE,
	DONATION_OFF,
	DONATION_ON,
};

enum {
	NR_KNOBS = 0
#define KNOB(...) +1
#include "bpf/knobs.def"
#undef KNOB
};

/* Values that somebody gave to single knobs, by their index in knobs[]. */
struct tuning {
	__u64 given; /* a bit for each */
	__u64 persists; /* those that outlive a reboot */
	__u64 values[NR_KNOBS];
};
_Static_assert(NR_KNOBS <= 64, "one bit per knob");

/* What a person or the configuration asks for. */
struct wish {
	enum donor_mode mode;
	enum donation_choice donation[_DONOR_HOOK_MAX];
	struct tuning configured[_DONOR_MODE_MAX]; /* [Mode.NAME] in donor.conf */
	struct tuning tuned[_DONOR_MODE_MAX]; /* at run time, for one mode */
	struct tuning tuned_always; /* at run time, for all */
};

/*
 * The parameter set that a wish amounts to. What comes later in this list wins: the table of
 * knobs.def, [Mode.NAME], the run-time choice for all modes, that for this mode, the choice for a
 * hook. Two values that do not fit each other (see parameters.h) are both those of the table.
 */
struct donor_params wish_to_params(const struct wish *wish);

/* The same for a mode that need not be the present one, without the choices for hooks. */
struct donor_params wish_to_mode_params(const struct wish *wish, enum donor_mode mode);

/* What knobs.def alone says. */
const struct donor_params *mode_defaults(enum donor_mode mode);

/* The switch of a hook in a set. */
bool params_donation(const struct donor_params *params, enum donor_hook hook);

/* One line of knobs.def. */
struct knob {
	const char *name;
	const char *unit;
	const char *help;
	__u64 minimum;
	__u64 maximum;
	size_t offset; /* in struct donor_params */
};

extern const struct knob knobs[];
extern const unsigned nr_knobs;
__u64 knob_get(const struct donor_params *params, const struct knob *knob);
void knob_set(struct donor_params *params, const struct knob *knob, __u64 value);

/* One line of counters.def. */
struct counter {
	const char *name;
	const char *help;
	size_t offset; /* in struct donor_counters */
};

extern const struct counter counters[];
extern const unsigned nr_counters;
/* Over all CPUs. */
struct donor_counters counters_sum(const struct donor_counters *per_cpu, unsigned nr_cpus);

__u64 counter_get(const struct donor_counters *per_cpu, const struct counter *counter);
