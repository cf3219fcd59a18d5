/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"

/* Integer arithmetic that cannot trap: no floats and no signed division in the kernel. */

static __always_inline __u64 u64_min(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __always_inline __u64 u64_max(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

static __always_inline __u64 u64_clamp(__u64 value, __u64 low, __u64 high)
{
	return u64_min(u64_max(value, low), high);
}

/* Virtual times wrap around; the nearer way round decides. */
static __always_inline bool vtime_before(__u64 a, __u64 b)
{
	return (__s64)(a - b) < 0;
}

/* Moving average; the newest sample weighs 1/4. Exact at the ends: 0 and a constant are kept. */
static __always_inline __u64 ewma(__u64 average, __u64 sample)
{
	return average - average / 4 + sample / 4;
}

/* Time on a CPU as virtual time: a task of double weight ages at half the speed. */
static __always_inline __u64 scale_by_weight(__u64 ns, __u64 weight)
{
	if (weight == DONOR_WEIGHT_ONE)
		return ns; /* nearly all, and a division is dear */
	return ns * DONOR_WEIGHT_ONE / u64_max(weight, 1);
}

/* Rounded down; of 0 it is 0. By halving: BPF has no instruction for it. */
static __always_inline __u32 log2_u64(__u64 value)
{
	__u32 log = 0;

	if (value >> 32)
		value >>= 32, log += 32;
	if (value >> 16)
		value >>= 16, log += 16;
	if (value >> 8)
		value >>= 8, log += 8;
	if (value >> 4)
		value >>= 4, log += 4;
	if (value >> 2)
		value >>= 2, log += 2;
	return log + (value >> 1);
}
