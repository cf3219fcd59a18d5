/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"

struct hwloc_topology; /* of <hwloc.h> */

struct donor_topology {
	__u32 nr_cpus; /* CPU ids are below this */
	__u32 nr_domains;
	__u64 hotplug_seq; /* of the kernel, read before the machine was looked at; the caller's */
	struct donor_cpu_topology cpus[DONOR_MAX_CPUS];
	struct donor_domain_topology domains[DONOR_MAX_DOMAINS];
};

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

/* The same of a machine that hwloc has loaded. */
int topology_group(struct hwloc_topology *machine, struct donor_topology *ret);

/* CPUs of a domain as a list, "0-3,8-11"; -ENOBUFS if it does not fit. */
int topology_cpu_list(const struct donor_topology *topology, unsigned domain, char *buf,
		      unsigned size);
