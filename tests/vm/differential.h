/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * One case of the differential test: a machine as a table, a question, the answers. The same bytes
 * are given to policy as the kernel runs it and as the host compiler builds it, and must be the
 * same bytes afterwards. The test is of the compilers' agreement, so this env is simple rather than
 * real: where the verifier wants a bound, both have it.
 */

#include "bpf/abi.h"

#ifdef __bpf__
#define env_for(i, from, to) bpf_for(i, from, to)
#else
#include <string.h>
#define env_for(i, from, to) for (i = from; i < (to); i++)
#endif

#include "bpf/env.h"

#ifdef DIFFERENTIAL_BREAK /* one gate of the BPF side upside down, which must be noticed */
#define task_is_fresh(task) (!task_is_fresh(task))
#endif

#include "bpf/policy/balance.h"
#include "bpf/policy/deadline.h"
#include "bpf/policy/place.h"
#include "bpf/policy/slice.h"

/* Powers of two: the verifier believes a mask. */
enum {
	CASE_CPUS = 32,
	CASE_DOMAINS = 8,
	CASE_ANSWERS = 4,
};

struct env {
	struct donor_params params;
	struct donor_cpu_topology cpus[CASE_CPUS];
	struct donor_domain_topology topology[CASE_DOMAINS];
	struct donor_domain domains[CASE_DOMAINS];
	struct donor_task task;
	__u64 now_ns;
	__u32 nr_cpus;
	__u32 nr_domains;
	__u32 nr_threads; /* of each core, numbered one after another */
	__u8 idle[CASE_CPUS];
	__u8 allowed[CASE_CPUS];
	__u8 pinned;
	__u8 reserved[3];
};

struct decision_case {
	struct env env;
	__u64 number[2];
	__u32 hook;
	__u32 need;
	__s32 cpu; /* may be one that the machine does not have, as may the domain */
	__u32 domain;
	__u64 answers[CASE_ANSWERS];
};

/* Below nr, in a way that the compiler cannot take apart from the access. */
static __always_inline __u32 case_index(__u32 i, __u32 nr)
{
	asm volatile("" : "+r"(i));
	return i & (nr - 1);
}

/* The state behind a const env, as the kernel's is. */
static __always_inline struct env *case_of(const struct env *env)
{
	return (struct env *)env;
}

static __always_inline bool case_idle(const struct env *env, __u32 cpu)
{
	return cpu < env->nr_cpus && env->idle[case_index(cpu, CASE_CPUS)];
}

static __always_inline const struct donor_params *env_params(const struct env *env)
{
	return &env->params;
}

static __always_inline struct donor_task *env_task(const struct env *env)
{
	return &case_of(env)->task;
}

static __always_inline __u64 env_now_ns(const struct env *env)
{
	return env->now_ns;
}

static __always_inline const struct donor_cpu_topology *env_cpu_topology(const struct env *env,
									 __u32 cpu)
{
	return cpu < env->nr_cpus ? &env->cpus[case_index(cpu, CASE_CPUS)] : NULL;
}

static __always_inline const struct donor_domain_topology *
env_domain_topology(const struct env *env, __u32 domain)
{
	return domain < env->nr_domains ? &env->topology[case_index(domain, CASE_DOMAINS)] : NULL;
}

static __always_inline struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return domain < env->nr_domains ? &case_of(env)->domains[case_index(domain, CASE_DOMAINS)]
					: NULL;
}

static __always_inline bool env_task_pinned(const struct env *env)
{
	return env->pinned;
}

static __always_inline bool env_task_allowed(const struct env *env, __s32 cpu)
{
	return (__u32)cpu < env->nr_cpus && env->allowed[case_index(cpu, CASE_CPUS)];
}

static __always_inline bool env_task_covers(const struct env *env, __u32 domain)
{
	__u32 cpu;

	env_for(cpu, 0, env->nr_cpus)
		if (env->cpus[case_index(cpu, CASE_CPUS)].domain == domain &&
		    !env_task_allowed(env, cpu))
			return false;
	return true;
}

static __always_inline __s32 env_task_any_cpu(const struct env *env)
{
	__u32 cpu;

	env_for(cpu, 0, env->nr_cpus)
		if (env_task_allowed(env, cpu))
			return cpu;
	return -1;
}

static __always_inline __u32 case_idle_threads(const struct env *env, __s32 cpu)
{
	__u32 first = env->cpus[case_index(cpu, CASE_CPUS)].core;
	__u32 nr = 0, i;

	env_for(i, 0, env->nr_threads)
		nr += case_idle(env, first + i);
	return nr;
}

static __always_inline bool env_core_is_idle(const struct env *env, __s32 cpu)
{
	return case_idle_threads(env, cpu) == env->nr_threads;
}

static __always_inline bool env_core_is_shared(const struct env *env, __s32 cpu)
{
	return case_idle_threads(env, cpu) + 1 < env->nr_threads;
}

static __always_inline bool env_claim(const struct env *env, __s32 cpu)
{
	bool was_idle = case_idle(env, cpu);

	if (was_idle)
		case_of(env)->idle[case_index(cpu, CASE_CPUS)] = false;
	return was_idle;
}

static __always_inline __s32 case_claim(const struct env *env, __u32 domain, bool whole_core)
{
	__u32 cpu;

	env_for(cpu, 0, env->nr_cpus)
		if (env->cpus[case_index(cpu, CASE_CPUS)].domain == domain &&
		    env_task_allowed(env, cpu) && (!whole_core || env_core_is_idle(env, cpu)) &&
		    env_claim(env, cpu))
			return cpu;
	return -1;
}

static __always_inline __s32 env_claim_core(const struct env *env, __u32 domain)
{
	return case_claim(env, domain, true);
}

static __always_inline __s32 env_claim_thread(const struct env *env, __u32 domain)
{
	return case_claim(env, domain, false);
}

static __always_inline bool env_take_from_domain(const struct env *env, __u32 domain)
{
	struct donor_domain *d = env_domain(env, domain);

	if (!d || !d->nr_queued)
		return false;
	d->nr_queued--;
	return true;
}

static __always_inline void answer_placement(struct decision_case *c, struct placement placement)
{
	c->answers[0] = placement.exit;
	c->answers[1] = placement.donation;
	c->answers[2] = placement.cpu;
	c->answers[3] = placement.claimed;
}
