/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>

#include "tests/sim/machine.h"
#include "tests/sim/sim.h"

/* A run of donor drawn from bytes: machine, work, parameters, and what changes when. */

enum {
	FUZZ_MAX_TASKS = 48, /* that a run begins with */
	FUZZ_MAX_FORKS = 64,
};

/* What is left of the bytes; after their end all is 0. */
struct fuzz_input {
	const __u8 *at, *end;
};

/* Below `limit`. */
static inline __u32 fuzz_draw(struct fuzz_input *input, __u32 limit)
{
	__u32 value = 0, size = limit > 256 ? 2 : 1;

	for (__u32 i = 0; i < size && input->at < input->end; i++)
		value |= (__u32)*input->at++ << 8 * i;
	return value % limit;
}

/* From least to most, small ones as often as large ones; the ends come up. */
static inline __u64 fuzz_draw_between(struct fuzz_input *input, __u64 least, __u64 most)
{
	enum { STEPS = 255 };
	__u64 at = fuzz_draw(input, STEPS + 1);

	return least + (__u64)((double)(most - least) * (double)(at * at * at) /
			       ((double)STEPS * STEPS * STEPS));
}

/* What a run promises, so that the stricter checks are sound. */
struct fuzz_promises {
	bool conserves; /* all that P4 needs */
	bool bounded; /* all that P8 needs */
};

struct fuzz {
	struct fuzz_input input;
	struct fuzz_promises promises;
	struct sim_machine *machine;
	struct sim *sim;
	struct donor_params params; /* in force, or to be */
	__u64 most_lag_ns; /* of all parameters so far */
	__u64 most_slice_ns;
	__u32 nr_tasks, nr_forks, most_events;
};

/* fuzz-machine.c */
void fuzz_machine(struct fuzz_input *input, struct sim_machine *machine);
cpu_set_t fuzz_mask(struct fuzz_input *input, const struct sim_machine *machine);

/* fuzz-work.c */
void fuzz_work(struct fuzz *fuzz);

/* fuzz-change.c */
void fuzz_params(struct fuzz *fuzz);
void fuzz_changes(struct fuzz *fuzz);

/* fuzz-show.c */
void fuzz_show(struct fuzz *fuzz);

/* fuzz.c: aborts with a sentence if donor breaks a rule. */
int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);
