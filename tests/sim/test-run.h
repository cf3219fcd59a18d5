/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/cleanup.h"
#include "tests/sim/test-log.h"
#include "tests/sim/test-machine.h"
#include "tests/sim/test-program.h"

/* A run with all that belongs to it. */
struct test_run {
	struct sim_machine machine;
	struct test_log log;
	struct sim_options options;
	struct sim *sim;
};

enum {
	MS = 1000000,
};

static inline struct test_run *test_run(const struct sim_policy *policy, __u32 nr_domains,
					__u32 nr_cores, __u32 nr_threads)
{
	struct test_run *run = calloc(1, sizeof(*run));

	test_machine(&run->machine, nr_domains, nr_cores, nr_threads);
	run->options = (struct sim_options){
		.topology = &run->machine.topology,
		.machine = &run->machine,
		.policy = policy,
		.seed = 1,
		.hz = 1000,
		.watchdog_ns = 10000ULL * MS,
	};
	return run;
}

/* With the options as they are by now. */
static inline struct sim *test_begin(struct test_run *run)
{
	assert_int_equal(sim_new(&run->options, &run->sim), 0);
	sim_set_policy_data(run->sim, &run->log);
	return run->sim;
}

static inline struct test_run *test_end(struct test_run *run)
{
	sim_free(run->sim);
	free(run);
	return NULL;
}
DEFINE_CLEANUP(struct test_run *, test_end);

/* The most used machine: two caches of two cores with two threads, CPUs 0-3 and 4-7. */
static inline struct test_run *test_run_vm8(const struct sim_policy *policy)
{
	struct test_run *run = test_run(policy, 2, 2, 2);

	test_begin(run);
	return run;
}

/* CPU 0 alone. Where it is the only one that exists, the kernel asks no policy. */
static inline struct test_run *test_run_one_cpu(const struct sim_policy *policy)
{
	struct test_run *run = test_run(policy, 1, 2, 1);

	test_begin(run);
	sim_set_online(run->sim, 1, false);
	assert_int_equal(sim_run(run->sim, 0), 0);
	log_take(run->sim);
	return run;
}

/* For a time; tasks are left. */
static inline void test_pass(struct sim *sim, __u64 ms)
{
	assert_int_equal(sim_run(sim, sim_now_ns(sim) + ms * MS), -ETIMEDOUT);
}
