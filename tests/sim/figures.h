/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/experiment.h"

/* From the runs of a policy to the figures that are shown: medians, least and most over seeds. */

struct figure {
	double median, least, most;
};

struct figure figure_summarise(double *values, unsigned nr); /* sorts them */

/* Those of metrics.def and, last, over_pinned. */
extern const unsigned nr_figures;
const char *figure_name(unsigned figure);
const char *figure_unit(unsigned figure);
/* False: not known, as there was no run by hand to compare with. */
bool figure_of_policy(const struct experiment *experiment, unsigned policy, unsigned figure,
		      struct figure *ret);

/* Of the tasks of one name: the fields of struct metrics_group. */
extern const unsigned nr_group_figures;
const char *group_figure_name(unsigned figure);
struct figure figure_of_group(const struct experiment *experiment, unsigned policy,
			      const char *group, unsigned figure);

/* report-*.c; each prints all and returns an exit status. */
int report_table(const struct experiment *experiment);
int report_json(const struct experiment *experiment);
