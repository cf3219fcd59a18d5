/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/status.h"

/*
 * What adds up over the life of the service, for the metrics. It is read off the status, so nobody
 * who changes the state has to think of it. Pure.
 */

enum { TALLY_MAX_KINDS = 16 }; /* more than scheduler_exit_kind() knows */

struct tally {
	uint64_t mode_us[_DONOR_MODE_MAX]; /* attached in that mode */
	uint64_t updated_us;
	struct tally_exit {
		char kind[32];
		uint64_t nr;
	} exits[TALLY_MAX_KINDS];
	unsigned nr_kinds;
};

/* The status changed, or the figures are wanted: both may be the same then. CLOCK_MONOTONIC. */
void tally_update(struct tally *tally, const struct status *before, const struct status *after,
		  uint64_t now_us);
