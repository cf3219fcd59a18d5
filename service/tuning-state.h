/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/mode.h"
#include "service/state-file.h"

/* Parameters that were set at run time, in a state file: "parameter.slice_max_ns.power". */

/* Add what the file has to the wish. Values that the knob cannot have are passed over. */
void tuning_state_load(const struct state_file *state, bool persists, struct wish *wish);

/* The choices of the wish for one knob that persist, or those that do not, instead of the file's. */
int tuning_state_store(struct state_file *state, bool persists, const struct wish *wish,
		       const struct knob *knob);
