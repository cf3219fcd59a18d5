/* SPDX-License-Identifier: GPL-2.0-only */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "service/cleanup.h"
#include "tests/sim/figures.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct member {
	const char *name;
	const char *unit;
	size_t offset; /* of a double */
};

/* In struct run. */
static const struct member members[] = {
#define METRIC(name, unit, help) { #name, unit, offsetof(struct run, metrics.name) },
#include "tests/sim/metrics.def"
#undef METRIC
	{ "over_pinned", "", offsetof(struct run, over_pinned) },
};

static const struct member group_members[] = {
	{ "cpu_s", "s", offsetof(struct metrics_group, cpu_s) },
	{ "wakeup_p50_us", "us", offsetof(struct metrics_group, wakeup_p50_us) },
	{ "wakeup_p99_us", "us", offsetof(struct metrics_group, wakeup_p99_us) },
	{ "wakeup_p999_us", "us", offsetof(struct metrics_group, wakeup_p999_us) },
	{ "wakeup_max_us", "us", offsetof(struct metrics_group, wakeup_max_us) },
	{ "nr_frames", "", offsetof(struct metrics_group, nr_frames) },
	{ "missed_frames", "", offsetof(struct metrics_group, missed_frames) },
	{ "frame_p99_ms", "ms", offsetof(struct metrics_group, frame_p99_ms) },
};

const unsigned nr_figures = ARRAY_SIZE(members);
const unsigned nr_group_figures = ARRAY_SIZE(group_members);

const char *figure_name(unsigned figure)
{
	return members[figure].name;
}

const char *figure_unit(unsigned figure)
{
	return members[figure].unit;
}

const char *group_figure_name(unsigned figure)
{
	return group_members[figure].name;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of an even number the mean of the two in the middle. */
struct figure figure_summarise(double *values, unsigned nr)
{
	if (!nr)
		return (struct figure){ 0 };
	qsort(values, nr, sizeof(*values), compare);
	return (struct figure){
		.median = (values[(nr - 1) / 2] + values[nr / 2]) / 2,
		.least = values[0],
		.most = values[nr - 1],
	};
}

static double value_at(const void *base, size_t offset)
{
	return *(const double *)((const char *)base + offset);
}

bool figure_of_policy(const struct experiment *experiment, unsigned policy, unsigned figure,
		      struct figure *ret)
{
	const struct run *runs = experiment_runs(experiment, policy);
	__u32 nr = experiment->cli->nr_seeds;
	_cleanup_(freep) double *values = calloc(nr, sizeof(*values));

	for (__u32 i = 0; values && i < nr; i++)
		values[i] = value_at(&runs[i], members[figure].offset);
	if (!values)
		return false;
	*ret = figure_summarise(values, nr);
	return members[figure].offset != offsetof(struct run, over_pinned) || ret->least > 0;
}

/* A seed with which no task of that name was born counts as 0. */
struct figure figure_of_group(const struct experiment *experiment, unsigned policy,
			      const char *group, unsigned figure)
{
	const struct run *runs = experiment_runs(experiment, policy);
	__u32 nr = experiment->cli->nr_seeds;
	_cleanup_(freep) double *values = calloc(nr, sizeof(*values));

	for (__u32 i = 0; values && i < nr; i++)
		for (unsigned j = 0; j < runs[i].nr_groups; j++)
			if (strcmp(runs[i].groups[j].name, group) == 0)
				values[i] =
					value_at(&runs[i].groups[j], group_members[figure].offset);
	return figure_summarise(values, values ? nr : 0);
}
