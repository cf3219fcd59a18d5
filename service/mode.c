/* SPDX-License-Identifier: GPL-2.0-only */

/* The tables behind mode.h. Every line of knobs.def and counters.def becomes one row here. */

#include <errno.h>
#include <string.h>

#include "service/mode.h"
#include "service/parameters.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const modes[_DONOR_MODE_MAX] = {
	[DONOR_MODE_POWER] = "power",
	[DONOR_MODE_BALANCED] = "balanced",
	[DONOR_MODE_PERFORMANCE] = "performance",
};

static const char *const descriptions[_DONOR_MODE_MAX] = {
	[DONOR_MODE_POWER] = "saves energy: no task is given away, and slices are long",
	[DONOR_MODE_BALANCED] = "keeps tasks near their caches, and gives them away to a whole "
				"idle core when their own domain is busy",
	[DONOR_MODE_PERFORMANCE] = "gives tasks away sooner and farther, also to faster cores, and "
				   "takes turns more often",
};

static const struct {
	const char *name;
	enum donor_mode mode;
} aliases[] = {
	{ "power-saver", DONOR_MODE_POWER },
	{ "powersave", DONOR_MODE_POWER },
};

static const char *const hooks[_DONOR_HOOK_MAX] = {
	[DONOR_HOOK_SELECT_CPU] = "select-cpu",
	[DONOR_HOOK_ENQUEUE] = "enqueue",
};

static const struct donor_params mode_params[_DONOR_MODE_MAX] = {
	[DONOR_MODE_POWER] = {
		.mode = DONOR_MODE_POWER,
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = (power),
#include "bpf/knobs.def"
#undef KNOB
	},
	[DONOR_MODE_BALANCED] = {
		.mode = DONOR_MODE_BALANCED,
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = (balanced),
#include "bpf/knobs.def"
#undef KNOB
	},
	[DONOR_MODE_PERFORMANCE] = {
		.mode = DONOR_MODE_PERFORMANCE,
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help)                     \
	.name = (performance),
#include "bpf/knobs.def"
#undef KNOB
	},
};

/* A value outside its own bounds would be refused nowhere else: stop the build. */
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help)                     \
	_Static_assert((power) >= (minimum) && (power) <= (maximum), #name " in power");           \
	_Static_assert((balanced) >= (minimum) && (balanced) <= (maximum), #name " in balanced");  \
	_Static_assert((performance) >= (minimum) && (performance) <= (maximum),                   \
		       #name " in performance");
#include "bpf/knobs.def"
#undef KNOB

const struct knob knobs[] = {
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help)                     \
	{ #name, unit, help, minimum, maximum, offsetof(struct donor_params, name) },
#include "bpf/knobs.def"
#undef KNOB
};
const unsigned nr_knobs = ARRAY_SIZE(knobs);

const struct counter counters[] = {
#define COUNTER(name, help) { #name, help, offsetof(struct donor_counters, name) },
#include "bpf/counters.def"
#undef COUNTER
};
const unsigned nr_counters = ARRAY_SIZE(counters);

int mode_from_string(const char *name, enum donor_mode *ret)
{
	for (unsigned i = 0; i < ARRAY_SIZE(modes); i++)
		if (strcmp(name, modes[i]) == 0) {
			*ret = i;
			return 0;
		}
	for (unsigned i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strcmp(name, aliases[i].name) == 0) {
			*ret = aliases[i].mode;
			return 0;
		}
	return -ENOENT;
}

const char *mode_to_string(enum donor_mode mode)
{
	return mode < _DONOR_MODE_MAX ? modes[mode] : "unknown";
}

const char *mode_description(enum donor_mode mode)
{
	return mode < _DONOR_MODE_MAX ? descriptions[mode] : "";
}

int hook_from_string(const char *name, enum donor_hook *ret)
{
	for (unsigned i = 0; i < ARRAY_SIZE(hooks); i++)
		if (strcmp(name, hooks[i]) == 0) {
			*ret = i;
			return 0;
		}
	return -ENOENT;
}

const char *hook_to_string(enum donor_hook hook)
{
	return hook < _DONOR_HOOK_MAX ? hooks[hook] : "unknown";
}

static __u64 chosen(enum donation_choice choice, __u64 of_mode)
{
	return choice == DONATION_FOLLOWS_MODE ? of_mode : choice == DONATION_ON;
}

const struct donor_params *mode_defaults(enum donor_mode mode)
{
	return &mode_params[mode];
}

static void apply(struct donor_params *params, const struct tuning *tuning)
{
	for (unsigned i = 0; i < nr_knobs; i++)
		if (tuning->given & 1ULL << i)
			knob_set(params, &knobs[i], tuning->values[i]);
}

/* Before what does not fit is taken back. */
static struct donor_params merge(const struct wish *wish, enum donor_mode mode)
{
	struct donor_params params = mode_params[mode];

	apply(&params, &wish->configured[mode]);
	apply(&params, &wish->tuned_always);
	apply(&params, &wish->tuned[mode]);
	return params;
}

/*
 * A pair that is taken back may break with a third value, which then is taken back as well: it
 * ends with the table, which fits.
 */
struct donor_params wish_to_mode_params(const struct wish *wish, enum donor_mode mode)
{
	struct donor_params params = merge(wish, mode);
	const struct donor_params *table = &mode_params[mode];
	struct knob_pair pair;

	while (parameters_check(&params, NULL, &pair) < 0) {
		knob_set(&params, pair.small, knob_get(table, pair.small));
		knob_set(&params, pair.large, knob_get(table, pair.large));
	}
	return params;
}

int wish_check(const struct wish *wish, const struct knob *about, enum donor_mode *ret_mode,
	       struct knob_pair *ret_pair)
{
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		const struct donor_params params = merge(wish, mode);

		if (parameters_check(&params, about, ret_pair) >= 0)
			continue;
		*ret_mode = mode;
		return -EINVAL;
	}
	return 0;
}

struct donor_params wish_to_params(const struct wish *wish)
{
	struct donor_params params = wish_to_mode_params(wish, wish->mode);

	params.donate_select_cpu =
		chosen(wish->donation[DONOR_HOOK_SELECT_CPU], params.donate_select_cpu);
	params.donate_enqueue = chosen(wish->donation[DONOR_HOOK_ENQUEUE], params.donate_enqueue);
	return params;
}

bool params_donation(const struct donor_params *params, enum donor_hook hook)
{
	return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;
}

/* The offsets are those of __u64 members: see the definitions of the two structs. */
static __u64 u64_at(const void *base, size_t offset)
{
	return *(const __u64 *)((const char *)base + offset);
}

__u64 knob_get(const struct donor_params *params, const struct knob *knob)
{
	return u64_at(params, knob->offset);
}

void knob_set(struct donor_params *params, const struct knob *knob, __u64 value)
{
	*(__u64 *)((char *)params + knob->offset) = value;
}

__u64 counter_get(const struct donor_counters *per_cpu, const struct counter *counter)
{
	return u64_at(per_cpu, counter->offset);
}

struct donor_counters counters_sum(const struct donor_counters *per_cpu, unsigned nr_cpus)
{
	struct donor_counters sum = {};

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
#define COUNTER(name, help) sum.name += per_cpu[cpu].name;
#include "bpf/counters.def"
#undef COUNTER
	}
	return sum;
}
