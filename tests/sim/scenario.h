/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/machine.h"
#include "tests/sim/metrics.h"
#include "tests/sim/policy-donor.h"
#include "tests/sim/sim.h"

/* A run of donor for a test: on a machine, with all properties checked, for a while. */
struct scenario {
	const char *machine; /* as for machine_load() */
	const struct donor_params *params; /* NULL: balanced */
	const struct sim_policy *policy; /* NULL: donor */
	bool no_smt_sharing;
	bool interleave;
	bool blind; /* heads of queues cannot be seen */
	__u64 seed;
	__u64 until_ns; /* 0: until all have ended */
	__u64 grace_ns; /* of work conservation; 0: not checked */
	__u64 wait_bound_ns; /* 0: 10 s */
	void (*start)(struct sim *sim, const struct scenario *scenario);
	void (*finish)(struct sim *sim, struct scenario *scenario); /* at the end; may be NULL */
	double figure; /* what start and finish want to tell the test */

	/* Results; valid after scenario_run(). */
	struct metrics_result result;
	struct donor_sim donor; /* as it was at the end */
	__u64 hash;
};

/* Fails the test if the run was ejected. */
void scenario_run(struct scenario *scenario);

/* Parameters of a mode. */
struct donor_params scenario_params(enum donor_mode mode);

/* Spawn a task that computes for ever; or so long. */
struct sim_task *scenario_hog(struct sim *sim, const char *name, __s32 born_on);
struct sim_task *scenario_job(struct sim *sim, const char *name, __s32 born_on, __u64 work_ns);
/* Sleeps until each multiple of the period and computes then; reports frames. */
struct sim_task *scenario_periodic(struct sim *sim, const char *name, __u64 period_ns,
				   __u64 work_ns);

/* Two that wake each other in turn, after that much work. */
void scenario_pair(struct sim *sim, const char *name, __u64 work_ns);
/*
 * The first computes in each period, the others each when the one before is done. Nobody says that
 * he is about to sleep. Frames are the first one's.
 */
void scenario_chain(struct sim *sim, const char *name, __u64 period_ns, const __u64 *work_ns,
		    unsigned nr_links);
/* Computes that long, sleeps that long, over and over; may use those CPUs only (NULL: all). */
struct sim_task *scenario_sleeper(struct sim *sim, const char *name, __u64 work_ns, __u64 sleep_ns,
				  const cpu_set_t *allowed);

/* CPU time in seconds of all tasks of that name. */
double scenario_cpu_s(struct sim *sim, const char *name);

/* Tasks that share a core with another while one is whole idle. */
unsigned scenario_nr_crowded(struct sim *sim);
__u64 scenario_counter(const struct scenario *scenario, enum donor_counter counter);
