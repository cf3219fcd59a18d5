/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/* Of all that happened in a run, and when. The same seed must give the same one (P11). */
struct trace_hash {
	__u64 value;
	__u64 nr_events;
};

void trace_hash_observe(struct sim *sim, struct trace_hash *hash); /* borrowed */
