/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/* What a run is judged by. Rates are per second of the run. */

/* One line per figure: METRIC(name, unit, help). Feeds the struct, the JSON and the table. */
struct metrics_result {
#define METRIC(name, unit, help) double name;
#include "tests/sim/metrics.def"
#undef METRIC
};

struct metrics;

int metrics_new(struct sim *sim, struct metrics **ret); /* registers itself as an observer */
struct metrics *metrics_free(struct metrics *metrics); /* NULL, always */
void metrics_finish(struct metrics *metrics, struct metrics_result *ret);

/*
 * Of the tasks of one name: CPU time, wakeup latency percentiles, share of missed frames. A frame
 * lasts from the end of the last one. Valid until the next call.
 */
struct metrics_group {
	const char *name;
	__u32 nr_tasks;
	double cpu_s, wakeup_p50_us, wakeup_p99_us, wakeup_p999_us, wakeup_max_us;
	double nr_frames, missed_frames, frame_p99_ms;
};
unsigned metrics_groups(struct metrics *metrics, const struct metrics_group **ret);
