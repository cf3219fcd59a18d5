/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/scheduler.h"
#include "service/status.h"
#include "service/tally.h"

/* All that is counted and shown, as text for Prometheus and what speaks its language. */

enum metrics_format {
	METRICS_OPENMETRICS,
	METRICS_CLASSIC, /* the text format before it: node_exporter reads no other from files */
};

struct metrics {
	const struct status *status;
	const struct tally *tally; /* brought up to date */
	unsigned nr_holds;
	const struct scheduler *scheduler; /* NULL when not attached: it counts nothing then */
};

/* -ENOMEM is the only error. */
int metrics_text(const struct metrics *metrics, enum metrics_format format, char **ret);
