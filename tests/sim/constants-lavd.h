/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * Numbers of the LAVD references. "lavd": as scx_lavd had it in May 2025. "fitted": chosen once, so
 * that the four ratios to hand pinning that were published with its donation (scx PR #1879:
 * algorithm3 1.222 before and 1.050 after, primesieve 1.128 and 1.063) come out, and then the same
 * for all programs and machines. "assumed": neither known nor fitted.
 */
enum {
	LAVD_SLICE_MIN_NS = 500000, /* lavd */
	LAVD_SLICE_MAX_NS = 5000000, /* lavd */
	LAVD_SLICE_BOOST = 3, /* lavd: so many slices more for who uses them up */
	LAVD_SLICE_BOOST_STEPS = 6, /* lavd: in a row, until it has all of these */
	LAVD_TARGETED_NS = 10000000, /* lavd: latency that the slices of a queue share */
	LAVD_WINDOW_NS = 4600, /* lavd: how far a new task may overtake */
	LAVD_DELTA_NS = 5000000, /* lavd: unit of a deadline, and the most that a run adds to it */
	LAVD_LAG_MAX_NS = 500000000, /* lavd: at nice 0 */
	LAVD_AVERAGE_SHIFT = 3, /* lavd: an eighth of a sample goes into an average */

	LAVD_TIMER_NS = 10000000, /* lavd: loads, roles, slice */
	LAVD_QUEUE_LOAD = 1024, /* assumed: a queued task weighs like a busy CPU */
	LAVD_STEALER_PCT = 12, /* lavd: a domain takes that far below the mean load */
	LAVD_STEALEE_PCT = 91, /* fitted: a domain gives that far above it; lavd: 12 */
	LAVD_FORK_DOMAINS = 4, /* fitted: the first so many domains take children in turn; stands
				  for the choice of active cores, which is not modelled */
};
