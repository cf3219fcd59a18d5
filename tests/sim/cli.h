/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"
#include "client/options.h"
#include "tests/sim/policies.h"

enum {
	MOST_NAMES = 16,
	MOST_POLICIES = 16,
	MOST_SETTINGS = 64,
};

struct name_list {
	unsigned nr;
	const char *names[MOST_NAMES];
};

/* The command line of donor-sim. Strings are those of argv. */
struct cli {
	struct options print; /* json, no_legend: as donorctl's */
	const char *machine;
	struct name_list workloads;
	struct name_list backgrounds;
	unsigned nr_policies;
	const struct sim_policy *policies[MOST_POLICIES];
	struct donor_params params;
	__u64 first_seed;
	__u32 nr_seeds;
	__u32 scale;
	__u32 hz;
	__u64 duration_ns; /* 0: as the workloads say */
	const char *trace;
	bool no_smt_sharing;
	bool interleave;
	bool list;
};

/* Complains and returns STATUS_USAGE, or returns 0. */
int cli_parse(int argc, char **argv, struct cli *ret);
void cli_print_help(void);
void cli_print_list(void);
