/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * A machine as a table, for tests of single decisions: what is idle, what the task may use. Include
 * it before the policy. The claims are real: a claimed CPU is no longer idle.
 */

#include <string.h>

#include "bpf/abi.h"

#define env_for(i, from, to) for (i = from; i < (to); i++)

#include "bpf/env.h"

enum {
	TABLE_CPUS = 64,
	TABLE_DOMAINS = 8,
};

struct env {
	struct donor_params params;
	struct donor_cpu_topology cpus[TABLE_CPUS];
	struct donor_domain_topology topology[TABLE_DOMAINS];
	struct donor_domain domains[TABLE_DOMAINS];
	struct donor_task task;
	bool idle[TABLE_CPUS];
	bool allowed[TABLE_CPUS]; /* and online */
	bool pinned;
	__u32 nr_threads; /* of each core; the threads of a core are numbered one after another */
	__u32 nr_cpus;
	__u64 now_ns;
	__u32 taken_from; /* domain that env_take_from_domain() last found a task in */
};

/* The state behind a const env, as the kernel's is. */
static inline struct env *table(const struct env *env)
{
	return (struct env *)env;
}

static inline void env_recount(struct env *env)
{
	for (__u32 d = 0; d < TABLE_DOMAINS; d++)
		env->domains[d].nr_idle_cpus = env->domains[d].nr_idle_cores = 0;
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++) {
		struct donor_domain *d = &env->domains[env->cpus[cpu].domain];

		d->nr_idle_cpus += env->idle[cpu];
		if (env->cpus[cpu].core == cpu)
			d->nr_idle_cores += env_core_is_idle(env, (__s32)cpu);
		if (env->idle[cpu])
			d->last_idle_cpu = cpu;
	}
}

/* Equal domains in a ring, all idle; the task may run everywhere and is not fresh. */
static inline struct env table_machine(__u32 nr_domains, __u32 nr_cores, __u32 nr_threads)
{
	__u32 per_domain = nr_cores * nr_threads;
	struct env env = {
		.nr_threads = nr_threads,
		.nr_cpus = nr_domains * per_domain,
		.now_ns = 1000000000,
		.taken_from = DONOR_NONE,
		.params = {
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = balanced,
#include "bpf/knobs.def"
#undef KNOB
		},
	};

	task_init(&env.task);
	env.task.nr_runs = TASK_FRESH_RUNS;
	env.task.avg_run_ns = 10 * 1000 * 1000;
	for (__u32 cpu = 0; cpu < env.nr_cpus; cpu++) {
		env.cpus[cpu].domain = (__u16)(cpu / per_domain);
		env.cpus[cpu].core = (__u16)(cpu - cpu % nr_threads);
		env.idle[cpu] = env.allowed[cpu] = true;
	}
	for (__u32 d = 0; d < nr_domains; d++) {
		env.domains[d].nr_online = per_domain;
		env.topology[d].cache = (__u16)d;
		for (__u32 i = 0; i + 1 < nr_domains; i++)
			env.topology[d].neighbours[i] = (__u8)((d + 1 + i) % nr_domains);
		env.topology[d].distance_end[DONOR_DISTANCE_NODE] = (__u16)(nr_domains - 1);
		env.topology[d].distance_end[DONOR_DISTANCE_REMOTE] = (__u16)(nr_domains - 1);
	}
	env_recount(&env);
	return env;
}

/* CPUs [from, to) run something. */
static inline void table_busy(struct env *env, __u32 from, __u32 to)
{
	memset(&env->idle[from], false, to - from);
	env_recount(env);
}

static __always_inline const struct donor_params *env_params(const struct env *env)
{
	return &env->params;
}

static __always_inline const struct donor_cpu_topology *env_cpu_topology(const struct env *env,
									 __u32 cpu)
{
	return cpu < env->nr_cpus ? &env->cpus[cpu] : NULL;
}

static __always_inline const struct donor_domain_topology *
env_domain_topology(const struct env *env, __u32 domain)
{
	return domain < TABLE_DOMAINS ? &env->topology[domain] : NULL;
}

static __always_inline struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return domain < TABLE_DOMAINS ? &table(env)->domains[domain] : NULL;
}

static __always_inline struct donor_task *env_task(const struct env *env)
{
	return &table(env)->task;
}

static __always_inline __u64 env_now_ns(const struct env *env)
{
	return env->now_ns;
}

static __always_inline bool env_task_pinned(const struct env *env)
{
	return env->pinned;
}

static __always_inline bool env_task_allowed(const struct env *env, __s32 cpu)
{
	return (__u32)cpu < env->nr_cpus && env->allowed[cpu];
}

static __always_inline bool env_task_covers(const struct env *env, __u32 domain)
{
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++)
		if (env->cpus[cpu].domain == domain && !env->allowed[cpu])
			return false;
	return true;
}

static __always_inline __s32 env_task_any_cpu(const struct env *env)
{
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++)
		if (env->allowed[cpu])
			return (__s32)cpu;
	return -1;
}

static inline __u32 table_idle_threads(const struct env *env, __s32 cpu)
{
	__u32 nr = 0;

	for (__u32 i = 0; i < env->nr_threads; i++)
		nr += env->idle[env->cpus[cpu].core + i];
	return nr;
}

static __always_inline bool env_core_is_idle(const struct env *env, __s32 cpu)
{
	return table_idle_threads(env, cpu) == env->nr_threads;
}

static __always_inline bool env_core_is_shared(const struct env *env, __s32 cpu)
{
	return table_idle_threads(env, cpu) + 1 < env->nr_threads;
}

static __always_inline bool env_claim(const struct env *env, __s32 cpu)
{
	bool was_idle = env->idle[cpu];

	table(env)->idle[cpu] = false;
	return was_idle;
}

static inline __s32 table_claim(const struct env *env, __u32 domain, bool whole_core)
{
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++)
		if (env->cpus[cpu].domain == domain && env->allowed[cpu] && env->idle[cpu] &&
		    (!whole_core || env_core_is_idle(env, (__s32)cpu)))
			return env_claim(env, (__s32)cpu) ? (__s32)cpu : -1;
	return -1;
}

static __always_inline __s32 env_claim_core(const struct env *env, __u32 domain)
{
	return table_claim(env, domain, true);
}

static __always_inline __s32 env_claim_thread(const struct env *env, __u32 domain)
{
	return table_claim(env, domain, false);
}

static __always_inline bool env_take_from_domain(const struct env *env, __u32 domain)
{
	if (!env->domains[domain].nr_queued)
		return false;
	table(env)->domains[domain].nr_queued--;
	table(env)->taken_from = domain;
	return true;
}
