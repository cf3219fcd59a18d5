/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/trace-hash.h"

/* FNV-1a, byte by byte: http://www.isthe.com/chongo/tech/comp/fnv/ */
static const __u64 OFFSET_BASIS = 0xcbf29ce484222325;
static const __u64 PRIME = 0x100000001b3;

static void add(struct trace_hash *hash, __u64 value)
{
	for (unsigned byte = 0; byte < sizeof(value); byte++) {
		hash->value ^= value >> (8 * byte) & 0xff;
		hash->value *= PRIME;
	}
}

static void see(struct sim *sim, const struct sim_event *event, void *data)
{
	struct trace_hash *hash = data;

	hash->nr_events++;
	add(hash, sim_now_ns(sim));
	add(hash, event->kind);
	add(hash, event->task ? (__u64)task_view(event->task)->pid : 0);
	add(hash, (__u64)event->cpu);
	add(hash, (__u64)event->from_cpu);
	add(hash, event->runnable);
	add(hash, event->speed);
	add(hash, event->dsq);
	add(hash, event->late_ns);
}

void trace_hash_observe(struct sim *sim, struct trace_hash *hash)
{
	*hash = (struct trace_hash){ .value = OFFSET_BASIS };
	sim_observe(sim, see, hash);
}
