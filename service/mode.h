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

/* What a person or the configuration asks for. */
struct wish {
	enum donor_mode mode;
	enum donation_choice donation[_DONOR_HOOK_MAX];
};

/* The parameter set that a wish amounts to. */
struct donor_params wish_to_params(const struct wish *wish);

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
