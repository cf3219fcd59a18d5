/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/*
 * What must hold after every event, whatever the policy. The first breach ejects the run, with a
 * sentence that begins with its number:
 *
 *   P1  a task goes only to CPUs that it may use and that are online
 *   P2  a runnable task is in exactly one place
 *   P3  no CPU sleeps with its idle bit taken and nothing on its way to it
 *   P4  no CPU is idle for longer than a grace beside an allowed task that waits
 *   P8  no task waits for longer than a bound
 *
 * P5, P6, P7, P9, P10 speak of donor's own state: its checks come in by properties_add(). P11, the
 * same seed gives the same run, takes two runs: see trace-hash.h.
 */
struct properties;

struct properties_options {
	__u64 grace_ns; /* P4, task and CPU of one domain; 0: not checked */
	__u64 far_grace_ns; /* P4, of two domains; 0: not checked */
	__u64 wait_bound_ns; /* P8; 0: not checked */
	__u32 every; /* all tasks are compared with the kernel at each n-th step; 0: never */
};

int properties_new(struct sim *sim, const struct properties_options *options,
		   struct properties **ret); /* registers itself as an observer */
struct properties *properties_free(struct properties *properties); /* NULL, always */

enum {
	PROPERTIES_MAX_CHECKS = 8,
};

/*
 * A check of somebody else, called after each event with `data`: NULL, or what is wrong; then
 * the run ends with "NAME: that sentence". -ENOSPC: there are too many.
 */
int properties_add(struct properties *properties, const char *name,
		   const char *(*check)(struct sim *sim, const struct sim_event *event, void *data),
		   void *data);
