/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "client/options.h"
#include "client/statistics.h"

/* All that `donorctl stats` shows. */
struct statistics_view {
	struct descriptions descriptions;
	struct snapshot now;
	const struct snapshot *before; /* NULL: totals only */
};

/* Each prints one picture and returns an exit status. */
int statistics_print_sums(const struct options *options, const struct statistics_view *view);
int statistics_print_per_cpu(const struct options *options, const struct statistics_view *view);
int statistics_print_json(const struct options *options, const struct statistics_view *view);

/*
 * How often a second the counter of this set grew since the view's earlier snapshot. 0 if there is
 * none, or if the counters started anew in between.
 */
double statistics_rate(const struct statistics_view *view, size_t set,
		       const struct counter *counter);
