/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/* donor and what it is compared with; each in reference-NAME.c but donor, which is policy-donor.c. */
extern const struct sim_policy policy_donor;
extern const struct sim_policy policy_pinned; /* by hand: bind_index to one core each */
extern const struct sim_policy policy_idle_core_first; /* any whole idle core, then any idle CPU */
extern const struct sim_policy policy_sticky; /* own domain only, no donation; steals when idle */
extern const struct sim_policy policy_lavd_before; /* LAVD's rule before it had donation */
extern const struct sim_policy policy_lavd_after; /* and with it, as of May 2025 */
extern const struct sim_policy policy_fifo; /* one queue for all */
extern const struct sim_policy policy_fair; /* like EEVDF: queue per CPU, lag, eligible, deadline */

/* Ended by NULL, in the order in which they are reported. */
extern const struct sim_policy *const policies[];
const struct sim_policy *policy_find(const char *name); /* or NULL */
