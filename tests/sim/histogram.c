/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/histogram.h"

static unsigned bucket_of(__u64 value)
{
	unsigned octave;

	if (value >> HISTOGRAM_LINEAR_BITS == 0)
		return (unsigned)value;
	if (value >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_NR_BUCKETS - 1;
	octave = 63 - (unsigned)__builtin_clzll(value) - HISTOGRAM_LINEAR_BITS;
	return (octave << HISTOGRAM_LINEAR_BITS) + (unsigned)(value >> octave);
}

/* The largest value of a bucket. */
static __u64 bucket_end(unsigned bucket)
{
	unsigned octave;
	__u64 leading;

	if (bucket < 2 << HISTOGRAM_LINEAR_BITS)
		return bucket;
	octave = (bucket >> HISTOGRAM_LINEAR_BITS) - 1;
	leading = bucket - (octave << HISTOGRAM_LINEAR_BITS);
	return ((leading + 1) << octave) - 1;
}

void histogram_add(struct histogram *h, __u64 value)
{
	h->nr++;
	h->buckets[bucket_of(value)]++;
	if (value > h->max)
		h->max = value;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
	for (unsigned i = 0; i < HISTOGRAM_NR_BUCKETS; i++)
		h->buckets[i] += other->buckets[i];
	h->nr += other->nr;
	if (other->max > h->max)
		h->max = other->max;
}

__u64 histogram_percentile(const struct histogram *h, __u32 parts_per_million)
{
	__u64 rank = (h->nr * parts_per_million + 999999) / 1000000;
	__u64 seen = 0;

	for (unsigned i = 0; i < HISTOGRAM_NR_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= rank && seen)
			return bucket_end(i) < h->max ? bucket_end(i) : h->max;
	}
	return 0;
}
