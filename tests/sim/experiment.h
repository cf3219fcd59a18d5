/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/cli.h"
#include "tests/sim/metrics.h"
#include "tests/sim/trace.h"
#include "tests/sim/workload.h"

/* What the command line asks for, loaded; and the runs that it comes to. */

struct run {
	char *failure; /* one sentence, and then nothing else holds */
	struct metrics_result metrics;
	double over_pinned; /* makespan by that of hand pinning with the same seed; 0: not known */
	unsigned nr_groups;
	struct metrics_group *groups; /* their names as well are ours */
};

struct experiment {
	const struct cli *cli;
	struct sim_machine *machine;
	struct workload *workloads[MOST_NAMES];
	struct workload *backgrounds[MOST_NAMES];
	struct run *runs; /* nr_seeds of the first policy, then those of the next */
};

/* Each complains and returns an exit status, or returns 0. */
int experiment_load(const struct cli *cli, struct experiment *ret);
int experiment_run(struct experiment *experiment, struct trace *trace);
void experiment_done(struct experiment *experiment);

const struct run *experiment_runs(const struct experiment *experiment, unsigned policy);
/* The first sentence of a run that failed, or NULL. */
const char *experiment_failure(const struct experiment *experiment, unsigned policy);
