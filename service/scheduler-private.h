/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/scheduler.h"

/* The scheduler's inside, for the scheduler*.c files alone: they are the ones that know libbpf. */

struct bpf_object;

/* The maps that outlive the process that loaded them; see the table in scheduler-maps.c. */
enum scheduler_map {
	MAP_OPS,
	MAP_TIMER,
	MAP_VARIABLES,
	MAP_PARAMS,
	MAP_MACHINE,
	MAP_CPU_TOPOLOGY,
	MAP_DOMAIN_TOPOLOGY,
	MAP_DOMAINS,
	MAP_COUNTERS,
	MAP_EXIT_RECORD,
	_MAP_MAX,
};

struct scheduler_view {
	void *address;
	size_t bytes;
};

/*
 * The programs live as long as the link or the map of callbacks does. So descriptors are all there
 * is to a scheduler, whether this process loaded it or took it over.
 */
struct scheduler {
	struct bpf_object *object; /* loaded here, and not attached yet */
	int link; /* -1: not attached */
	int maps[_MAP_MAX];
	struct scheduler_view views[_MAP_MAX];
	struct donor_topology topology;
};

struct scheduler *scheduler_alloc(void);

/* The errno that says what happened, with a sentence for a person. */
__attribute__((format(printf, 3, 4))) int scheduler_fail(struct scheduler_error *ret_error, int r,
							 const char *format, ...);

/* Take the maps of the loaded object, and map those that are shared. */
int scheduler_open_maps(struct scheduler *scheduler);

/* All as at load: nothing counted, nothing known of the machine's load, no exit. */
int scheduler_reset_maps(struct scheduler *scheduler);

/* Which BPF object this program carries. */
extern const char scheduler_build[DONOR_BUILD_BYTES + 1];
