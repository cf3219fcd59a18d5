/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"

/*
 * The machine as domains: the CPUs behind one last-level cache that are of one kind, with their
 * neighbours nearest first. hwloc finds out; donor only groups.
 *
 * xml: a file that `lstopo` wrote, of this machine or another; NULL for the running one.
 * A CPU that is offline or hidden belongs to no domain. Without cache information a package is a
 * domain, and without packages the machine is.
 *
 * -E2BIG: more CPUs or domains than donor was built for. Other errors: as hwloc said.
 */
int topology_read(const char *xml, struct donor_topology *ret);

/* CPUs of a domain as a list, "0-3,8-11"; -ENOBUFS if it does not fit. */
int topology_cpu_list(const struct donor_topology *topology, unsigned domain, char *buf,
		      unsigned size);
