/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/topology.h"

enum {
	MACHINE_FREQUENCY_STEPS = 8,
};

/* A machine as the speed model sees it. What hwloc cannot know is in machines.def or assumed there. */
struct sim_machine {
	char name[64];
	struct donor_topology topology;
	__u32 capacity[DONOR_MAX_CPUS]; /* of one thread alone, 1024 is the fastest kind */
	/* Turbo: with up to `nr_cores` active cores the clock is `mhz`; the last step is for all. */
	struct {
		__u32 nr_cores;
		__u32 mhz;
	} frequency[MACHINE_FREQUENCY_STEPS];
	__u32 nr_frequencies;
};

/*
 * `what`: a name of machines.def, an XML file as `lstopo` writes it, or a synthetic description
 * such as "pack:1 l3:8 core:4 pu:2". Errors are one sentence in *ret_message (to free), with the
 * next step: -ENOENT neither name nor file nor description, -EINVAL the file or the description is
 * malformed, -E2BIG more CPUs than donor can have.
 */
int machine_load(const char *what, struct sim_machine **ret, char **ret_message);
struct sim_machine *machine_free(struct sim_machine *machine); /* NULL, always */
/* The named ones, ended by NULL. */
const char *const *machine_names(void);
