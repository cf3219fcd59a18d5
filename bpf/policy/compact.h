/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/idle.h"

/*
 * Compaction: the fewest CPUs that carry the load are in use, so the others can sleep deeply. Whole
 * cores come first, then their siblings. A CPU out of use still runs what only it may run, and
 * finishes what it runs now at the end of the slice.
 */

/* CPUs that the load needs. Who waits already needs one as well, and one is for who comes next. */
static __always_inline __u64 compact_nr_wanted(const struct donor_params *params, __u64 load,
					       __u64 nr_queued)
{
	__u64 one = TASK_LOAD_ONE * params->active_load_pct / 100;

	if (!one)
		return DONOR_MAX_CPUS;
	return u64_clamp((load + one - 1) / one + nr_queued + 1, 1, DONOR_MAX_CPUS);
}

/* More at once, fewer when fewer would have done for a while. */
static __always_inline __u32 compact_nr_active(const struct env *env, struct donor_balance *balance,
					       __u64 wanted)
{
	if (wanted >= balance->nr_active) {
		balance->shrinking_since_ns = 0;
		return wanted;
	}
	if (!balance->shrinking_since_ns)
		balance->shrinking_since_ns = env_now_ns(env);
	if (env_now_ns(env) - balance->shrinking_since_ns < env_params(env)->active_delay_ns)
		return balance->nr_active;
	balance->shrinking_since_ns = 0;
	return wanted;
}

static __always_inline void compact_set(const struct env *env, __u32 cpu, bool active)
{
	struct donor_cpu *c = env_cpu(env, cpu);

	if (!c || !c->online || c->active == active)
		return;
	env_count(env, active ? DONOR_COUNT_active_grown : DONOR_COUNT_active_shrunk);
	cpu_set_active(env, cpu, c, active);
}

/* First or other threads of the cores, in the order of their ids: those of one cache stay together. */
static __always_inline void compact_threads(const struct env *env, struct donor_balance *balance,
					    bool first)
{
	__u32 nr = env_nr_cpus(env), i;

	env_for(i, 0, nr) {
		const struct donor_cpu_topology *topology = env_cpu_topology(env, i);

		if (topology && (topology->core == i) == first)
			compact_set(env, i, balance->nr_seen++ < balance->nr_active);
	}
}

static __always_inline void compact(const struct env *env, struct donor_balance *balance)
{
	__u64 wanted = compact_nr_wanted(env_params(env), balance->load, balance->nr_queued);
	__u32 nr_active = compact_nr_active(env, balance, wanted);

	if (nr_active == balance->nr_active)
		return;
	balance->nr_active = nr_active;
	balance->nr_seen = 0;
	compact_threads(env, balance, true);
	compact_threads(env, balance, false);
}
