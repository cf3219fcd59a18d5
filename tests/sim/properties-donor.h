/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/policy-donor.h"
#include "tests/sim/properties.h"

/*
 * What must hold of donor's own state:
 *
 *   P5  who is given away gets a whole idle core, from a domain that has none and is busier
 *   P6  a hook whose switch is off gives nothing away
 *   P9  no count of queued tasks is below what is in the queue, and none is left when all have gone
 *   P10 the hints of idle CPUs and cores, and the masks of CPUs in use, agree with one another
 *
 * P7, one generation of parameters in a callback, is checked by the callbacks themselves.
 */
struct properties_donor {
	bool hints_may_lag; /* for the caller to set: P5 cannot be told in bursts of wakeups */
	__u64 generation;
	__u64 at_select_cpu, at_enqueue; /* given away */
	__u64 nr_steps[2];
};

/* `state` is borrowed, and else zero. `exact`: the callbacks are atomic, so P5 holds to the task. */
int properties_add_donor(struct properties *properties, struct properties_donor *state, bool exact);
