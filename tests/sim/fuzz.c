/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/fuzz.h"
#include "tests/sim/policies.h"
#include "tests/sim/properties-donor.h"

/* libFuzzer's entry; fuzz-replay.c calls it with files. */

#define MS 1000000ULL

enum {
	MAX_MS = 35000, /* longer than the watchdog of the kernel */
	WATCHDOG_MS = 30000,
	FEW_EVENTS = 3000,
	MANY_EVENTS = 30000, /* seldom, or fuzzing would be slow */
};

/*
 * P4: an idle CPU takes all but what was already sent to another CPU, and that waits for no more
 * than who runs there. P8: who waits lets pass what has a smaller key, which is from each other
 * task as much as two of them can be apart; the queues of CPU and domain take turns.
 */
static struct properties_options checks_of(const struct fuzz *fuzz)
{
	struct properties_options options = { .every = 64 };
	__u64 turn_ns = fuzz->most_slice_ns + 10 * MS; /* the tick ends it */
	__u64 nr_tasks = fuzz->nr_tasks + FUZZ_MAX_FORKS;

	if (fuzz->promises.conserves)
		options.grace_ns = options.far_grace_ns = 2 * turn_ns;
	if (fuzz->promises.bounded)
		options.wait_bound_ns = 2 * nr_tasks * (fuzz->most_lag_ns + turn_ns);
	return options;
}

/* Not longer than a fuzzer likes. */
static int run_some(struct sim *sim, __u32 most_events)
{
	int r = -ETIMEDOUT;

	while (r == -ETIMEDOUT && sim_now_ns(sim) < MAX_MS * MS && sim_nr_events(sim) < most_events)
		r = sim_run(sim, sim_now_ns(sim) + MS);
	return r;
}

static void run_checked(struct fuzz *fuzz, bool exact)
{
	struct properties_options options;
	struct properties_donor of_donor = { .hints_may_lag = true };
	struct properties *properties;
	int r;

	fuzz_work(fuzz);
	if (getenv("FUZZ_SHOW"))
		fuzz_show(fuzz);
	options = checks_of(fuzz);
	if (properties_new(fuzz->sim, &options, &properties) < 0 ||
	    properties_add_donor(properties, &of_donor, exact) < 0)
		abort();
	fuzz_changes(fuzz);
	r = run_some(fuzz->sim, fuzz->most_events);
	if (sim_error(fuzz->sim) || (r && r != -ETIMEDOUT)) {
		fprintf(stderr, "after %llu us: %s\n", sim_now_ns(fuzz->sim) / 1000,
			sim_error(fuzz->sim) ?: strerror(-r));
		abort();
	}
	properties_free(properties);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static const __u32 clocks[] = { 1000, 250, 100 };
	struct fuzz fuzz = { .input = { data, data + size } };
	__u32 bits = fuzz_draw(&fuzz.input, 256);
	struct sim_options options = {
		.policy = &policy_donor,
		.params = &fuzz.params,
		.hz = clocks[bits % 3],
		.interleave = bits & 0x40,
		.watchdog_ns = WATCHDOG_MS * MS,
	};

	fuzz.machine = calloc(1, sizeof(*fuzz.machine));
	if (!fuzz.machine)
		abort();
	fuzz.promises.conserves = bits & 0x10;
	fuzz.promises.bounded = bits & 0x20;
	fuzz.most_events = fuzz_draw(&fuzz.input, 32) == 31 ? MANY_EVENTS : FEW_EVENTS;
	options.seed = fuzz_draw(&fuzz.input, 256);
	fuzz_machine(&fuzz.input, fuzz.machine);
	fuzz_params(&fuzz);
	options.machine = fuzz.machine;
	options.topology = &fuzz.machine->topology;
	if (sim_new(&options, &fuzz.sim) < 0)
		abort();
	run_checked(&fuzz, !options.interleave);
	sim_free(fuzz.sim);
	free(fuzz.machine);
	return 0;
}
