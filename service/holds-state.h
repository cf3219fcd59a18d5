/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/holds.h"
#include "service/state-file.h"

/* The holds in a state file, for the next process to go on with: "holds.0.mode". */

/* bus_id: of the bus that their owners are on; names mean nothing on another. -ENOMEM */
int holds_store(const struct holds *holds, const char *bus_id, struct state_file *state);

/*
 * Into an empty table; nobody watches them yet. Those of another bus have no owner. -EBADMSG: one
 * of them makes no sense, and none is taken.
 */
int holds_restore(struct holds *holds, const char *bus_id, const struct state_file *state);
