/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "service/config.h"
#include "service/exits.h"

/*
 * Whether and when to attach again after the scheduler ended. Pure: the time is an argument, of
 * CLOCK_MONOTONIC.
 *
 * After a fault the pause doubles with each one within the window, and the last one that the limit
 * allows is final: the kernel's own scheduler stays. A request to be attached anew is no fault and
 * never final; only where one follows the other is there a pause. An order is final at once.
 */

enum { RETRY_MAX_FAULTS = 100 }; /* a higher limit counts as this one */

struct retry {
	uint64_t faults_us[RETRY_MAX_FAULTS]; /* when, the oldest first */
	unsigned nr_faults;
	uint64_t last_restart_us;
	unsigned nr_restarts; /* in a row */
};

struct retry_verdict {
	bool again;
	uint64_t delay_us; /* if again */
};

/* attached_us: how long it ran; a failed attempt to attach is a fault that ran for 0. */
struct retry_verdict retry_after(struct retry *retry, const struct attach_config *rules,
				 enum exit_cause cause, uint64_t now_us, uint64_t attached_us);

/* A person's request, or a scheduler that has run for long enough: what was before counts no more. */
void retry_forgive(struct retry *retry);
