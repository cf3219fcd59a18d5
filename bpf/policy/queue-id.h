/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"

/*
 * Where tasks wait: one queue for each domain, and one for each CPU for those that may not run on
 * all of a domain. A queue's number is its class and an index below it.
 */
static __always_inline __u64 domain_queue(__u32 domain)
{
	return 1ULL << 32 | domain;
}

static __always_inline __u64 cpu_queue(__u32 cpu)
{
	return 2ULL << 32 | cpu;
}
