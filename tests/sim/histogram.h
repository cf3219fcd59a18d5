/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>

/* Times in buckets that are a 128th of their power of two wide: no percentile is off by 1 %. */
enum {
	HISTOGRAM_LINEAR_BITS = 7,
	HISTOGRAM_MAX_BITS = 44, /* about five hours in nanoseconds; longer is counted as that */
	HISTOGRAM_NR_BUCKETS = (HISTOGRAM_MAX_BITS - HISTOGRAM_LINEAR_BITS + 1)
			       << HISTOGRAM_LINEAR_BITS,
};

struct histogram {
	__u64 nr;
	__u64 max;
	__u32 buckets[HISTOGRAM_NR_BUCKETS];
};

void histogram_add(struct histogram *h, __u64 value);
void histogram_merge(struct histogram *h, const struct histogram *other);
/* The value that `parts_per_million` of all do not exceed; 0 if there is none. */
__u64 histogram_percentile(const struct histogram *h, __u32 parts_per_million);
