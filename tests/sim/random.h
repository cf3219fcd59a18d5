/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>

/* A stream of random numbers. Streams of one seed and different numbers have nothing in common. */
struct random {
	__u64 state;
};

void random_seed(struct random *random, __u64 seed, __u64 stream);
__u64 random_next(struct random *random);
