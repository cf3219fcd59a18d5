/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/duration.h"
#include "service/parameters.h"

/* What goes wrong with a pair in the wrong order. */
static const struct {
	const char *small, *large;
} pairs[] = {
	/* a slice is clamped between the two: without order it would be either */
	{ "slice_min_ns", "slice_max_ns" },
	/* what a task runs beyond its debt is forgiven: long slices would be free of charge */
	{ "slice_max_ns", "debt_max_ns" },
	/* all tasks would be equally critical */
	{ "latency_min_ns", "latency_max_ns" },
};

const struct knob *knob_find(const char *name)
{
	for (unsigned i = 0; i < nr_knobs; i++)
		if (strcmp(knobs[i].name, name) == 0)
			return &knobs[i];
	return NULL;
}

static int parse_number(const struct knob *knob, const char *text, __u64 *ret)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t value;

	if (digits > 0 && !text[digits]) { /* a double would not be exact */
		errno = 0;
		*ret = strtoull(text, NULL, 10);
		return -errno;
	}
	if (strcmp(knob->unit, "ns") == 0 && duration_parse_ns(text, 1, &value) >= 0) {
		*ret = value;
		return 0;
	}
	if (strcmp(knob->unit, "bool") == 0 &&
	    (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0)) {
		*ret = text[0] == 'y';
		return 0;
	}
	return -EINVAL;
}

int knob_parse(const struct knob *knob, const char *text, __u64 *ret)
{
	__u64 value;
	int r;

	r = parse_number(knob, text, &value);
	if (r < 0)
		return r;
	if (value < knob->minimum || value > knob->maximum)
		return -ERANGE;
	*ret = value;
	return 0;
}

const char *knob_values(const struct knob *knob, char *buf, size_t size)
{
	if (strcmp(knob->unit, "bool") == 0)
		(void)snprintf(buf, size, "0 or 1");
	else
		(void)snprintf(buf, size, "a number from %llu to %llu (%s)", knob->minimum,
			       knob->maximum, knob->unit);
	return buf;
}

int parameters_check(const struct donor_params *params, struct knob_pair *ret)
{
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct knob_pair pair = { knob_find(pairs[i].small),
						knob_find(pairs[i].large) };

		if (knob_get(params, pair.small) <= knob_get(params, pair.large))
			continue;
		*ret = pair;
		return -EINVAL;
	}
	return 0;
}
