/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "service/cleanup.h"
#include "service/holds.h"

/* What ends a hold when nobody releases it: its time, its owner's leaving, or a process's end. */

/* May free the watch. */
typedef void (*hold_over_t)(void *userdata, uint32_t cookie, enum hold_end end);

/*
 * pidfd: of the process that the hold lasts as long as, whatever becomes of its owner; -1 if its
 * owner is to be watched. It stays the caller's.
 *
 *   -EBADF  not a pidfd
 *   -ESRCH  the process, or the owner, has ended already
 */
int hold_watch_new(struct hold_watch **ret, sd_bus *bus, const struct hold *hold, int pidfd,
		   hold_over_t over, void *userdata);
struct hold_watch *hold_watch_free(struct hold_watch *watch);
DEFINE_CLEANUP(struct hold_watch *, hold_watch_free);
