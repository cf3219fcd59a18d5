/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/random.h"

/* splitmix64: passes BigCrush, and any state is a good state. */
static __u64 mix(__u64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void random_seed(struct random *random, __u64 seed, __u64 stream)
{
	random->state = mix(mix(seed) + stream);
}

__u64 random_next(struct random *random)
{
	random->state += 0x9e3779b97f4a7c15;
	return mix(random->state);
}
