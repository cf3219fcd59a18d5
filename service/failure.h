/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "service/kernel.h"
#include "service/status.h"

/*
 * Why the scheduler is not attached: what the state then is, and a sentence for a person with cause
 * and next step. Pure. `r` is what a request is answered with:
 *
 *   0            nothing is wrong
 *   -EOPNOTSUPP  this kernel cannot run donor
 *   -EBUSY       another scheduler is attached
 *   -EBADMSG     the verifier refused the program
 *   -EIO         anything else
 */
struct failure {
	int r;
	enum service_state state;
	enum kernel_support support;
	char reason[STATUS_REASON_BYTES];
};

/* What the kernel says before it is troubled. */
struct failure failure_of_kernel(const struct kernel_state *kernel);

/* The machine could not be looked at. */
struct failure failure_of_topology(int r);

/* scheduler_attach() returned r, but not -EBUSY; text is its sentence or empty. */
struct failure failure_of_attach(int r, const char *text);

/*
 * The scheduler of that name is attached. owner: the service that is likely to have attached it, or
 * empty. wait: donor attaches when it has left.
 */
struct failure failure_of_conflict(const char *name, const char *owner, bool wait);
