/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/machine.h"
#include "tests/sim/sim.h"

/* A workload: an rt-app file, read once, started in as many runs as one likes. docs/WORKLOADS.md */
struct workload;

/*
 * `what`: a name of those that ship, or a file. Errors are one sentence in *ret_message (to free),
 * with file, task and key. Keys that rt-app knows and the simulator cannot model are errors, not
 * ignored.
 */
int workload_load(const char *what, struct workload **ret, char **ret_message);
struct workload *workload_free(struct workload *workload); /* NULL, always */
const char *const *workload_names(void);
/* What the file says; 0: nothing. */
__u64 workload_duration_ns(const struct workload *workload);
/* Whether one of its tasks ends. Nobody waits then for those that do not. */
bool workload_ends(const struct workload *workload);
/* Whether the machine has CPUs for all tasks that are bound to some. */
bool workload_fits(const struct workload *workload, const struct donor_topology *topology);

/*
 * Start its tasks; the workload outlives the run. `scale` divides the amount of work of tasks that
 * end (10: a tenth as long); background: nobody waits for them, and they begin anew when they end.
 * -ENODEV: it does not fit the machine.
 */
int workload_start(const struct workload *workload, struct sim *sim, __u32 scale, bool background);
