/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/cleanup.h"
#include "service/exits.h"
#include "service/retry.h"

/*
 * What the service knows of the scheduler's past. It lies in a mapped file of the runtime
 * directory: a service that is killed or restarted, at whatever moment, goes on counting where it
 * was, and a stop or a boot ends it.
 */
struct history {
	uint64_t layout; /* another build may have another one */
	struct exits exits;
	struct retry retry;
	uint32_t nr_restarts; /* attached again by itself */
};

/*
 * The history in this directory, or an empty one; NULL: there is no directory, and it ends with
 * us. On failure *ret is such a one as well; it is NULL only if there is no memory.
 */
int history_open(struct history **ret, const char *directory);
struct history *history_close(struct history *history);
DEFINE_CLEANUP(struct history *, history_close);
