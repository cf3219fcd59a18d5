/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * A machine as a table, for both sides of the differential test. The test is of the compilers'
 * agreement, so this env is simple rather than real: where the verifier wants a bound, both have
 * it. What policy asks for is part of the table too. No loops here: they would multiply with those
 * of policy, and 6.12 would follow them all.
 */

#include "bpf/abi.h"

#ifdef __bpf__
#define env_for(i, from, to) bpf_for(i, from, to)
#else
#include <string.h>
#define env_for(i, from, to) for (i = from; i < (to); i++)
#endif

#include "bpf/env.h"
#include "bpf/policy/idle.h"
#include "bpf/policy/queue-id.h"

/* Powers of two: the verifier believes a mask. */
enum {
	CASE_CPUS = 32,
	CASE_DOMAINS = 8,
	CASE_DOMAIN_CPUS = CASE_CPUS / CASE_DOMAINS,
	CASE_REQUESTS = 128, /* of one decision, the last ones */
	CASE_COUNTERS = 128,
};
_Static_assert(DONOR_NR_COUNTERS <= (int)CASE_COUNTERS, "each has a place");

/* What policy asks to be done, not what it asks to know. */
enum case_request_kind {
	REQUEST_CLAIM = 1,
	REQUEST_INSERT_AT,
	REQUEST_INSERT,
	REQUEST_TAKE,
	REQUEST_GO_ON,
	REQUEST_KICK_IDLE,
	REQUEST_KICK_PREEMPT,
	REQUEST_SET_ACTIVE,
	REQUEST_SET_ONLINE,
	REQUEST_SET_PERF,
};

struct case_request {
	__u64 kind; /* enum case_request_kind */
	__u64 about; /* a CPU or a queue */
	__u64 value[2];
};

struct env {
	struct donor_params params;
	struct donor_cpu_topology cpus[CASE_CPUS];
	struct donor_domain_topology topology[CASE_DOMAINS];
	struct donor_domain domains[CASE_DOMAINS];
	struct donor_cpu states[CASE_CPUS];
	struct donor_balance balance;
	struct donor_task task;
	struct donor_task waker;
	__u64 head_keys[2]; /* of the domains' queues and of the CPUs', if they are shown */
	__u64 now_ns;
	__u64 exec_ns;
	__u32 weight;
	__u32 nr_cpus;
	__u32 nr_domains;
	__u32 nr_threads; /* of each core, numbered one after another; at most 2 */
	__s32 this_cpu;
	/* One bit for each CPU, as the kernel's masks. */
	__u32 idle; /* can be claimed */
	__u32 allowed;
	__u32 online, active; /* as policy set them */
	__u32 index; /* see case_index() */
	__u8 pinned, kthread;
	__u8 has_balance, has_waker, in_interrupt, prev_waits, shows_heads;
	__u8 reserved1[1];

	__u64 nr_requests;
	struct case_request requests[CASE_REQUESTS];
	__u64 counters[CASE_COUNTERS];
};

/* The state behind a const env, as the kernel's is. */
static __always_inline struct env *case_of(const struct env *env)
{
	return (struct env *)env;
}

/*
 * Below nr, in a way that the compiler cannot take apart from the access. By way of the table: of
 * an index that comes straight from a register, the verifier of 6.12 wants to know every value.
 */
static __always_inline __u32 case_index(const struct env *env, __u32 i, __u32 nr)
{
	volatile __u32 *index = &case_of(env)->index;

	*index = i;
	i = *index;
	asm volatile("" : "+r"(i));
	return i & (nr - 1);
}

static __always_inline void case_request(const struct env *env, enum case_request_kind kind,
					 __u64 about, __u64 value, __u64 second_value)
{
	struct env *e = case_of(env);
	struct case_request *r = &e->requests[case_index(env, e->nr_requests, CASE_REQUESTS)];

	e->nr_requests++;
	r->kind = kind;
	r->about = about;
	r->value[0] = value;
	r->value[1] = second_value;
}

ENV const struct donor_params *env_params(const struct env *env)
{
	return &env->params;
}

ENV __u64 env_now_ns(const struct env *env)
{
	return env->now_ns;
}

ENV __u32 env_nr_cpus(const struct env *env)
{
	return env->nr_cpus;
}

ENV __u32 env_nr_domains(const struct env *env)
{
	return env->nr_domains;
}

ENV struct donor_balance *env_balance(const struct env *env)
{
	return env->has_balance ? &case_of(env)->balance : NULL;
}

ENV const struct donor_cpu_topology *env_cpu_topology(const struct env *env, __u32 cpu)
{
	return cpu < env->nr_cpus ? &env->cpus[case_index(env, cpu, CASE_CPUS)] : NULL;
}

ENV const struct donor_domain_topology *env_domain_topology(const struct env *env, __u32 domain)
{
	return domain < env->nr_domains ? &env->topology[case_index(env, domain, CASE_DOMAINS)]
					: NULL;
}

ENV struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return domain < env->nr_domains
		       ? &case_of(env)->domains[case_index(env, domain, CASE_DOMAINS)]
		       : NULL;
}

ENV struct donor_cpu *env_cpu(const struct env *env, __u32 cpu)
{
	return cpu < env->nr_cpus ? &case_of(env)->states[case_index(env, cpu, CASE_CPUS)] : NULL;
}

ENV struct donor_task *env_task(const struct env *env)
{
	return &case_of(env)->task;
}

ENV __u32 env_task_weight(const struct env *env)
{
	return env->weight;
}

ENV __u64 env_task_exec_ns(const struct env *env)
{
	return env->exec_ns;
}

ENV bool env_task_is_kthread(const struct env *env)
{
	return env->kthread;
}

ENV bool env_task_pinned(const struct env *env)
{
	return env->pinned;
}

static __always_inline __u32 case_mask(__u32 cpu)
{
	return cpu < CASE_CPUS ? 1U << cpu : 0;
}

static __always_inline __u32 case_domain_mask(__u32 domain)
{
	return domain < CASE_DOMAINS ? ((1U << CASE_DOMAIN_CPUS) - 1) << domain * CASE_DOMAIN_CPUS
				     : 0;
}

/* The lowest CPU of a mask, or -1: the number of bits below it. */
static __always_inline __s32 case_first(__u32 mask)
{
	__u32 below = (mask & -mask) - 1;

	below -= below >> 1 & 0x55555555;
	below = (below & 0x33333333) + (below >> 2 & 0x33333333);
	below = (below + (below >> 4)) & 0x0f0f0f0f;
	return mask ? (__s32)(below * 0x01010101 >> 24) : -1;
}

ENV bool env_task_allowed(const struct env *env, __s32 cpu)
{
	return env->allowed & env->online & case_mask(cpu);
}

ENV bool env_task_covers(const struct env *env, __u32 domain)
{
	return !(case_domain_mask(domain) & ~env->allowed);
}

ENV __s32 env_task_any_cpu(const struct env *env)
{
	return case_first(env->allowed & env->online);
}

ENV __s32 env_task_some_cpu(const struct env *env, __u32 domain)
{
	return case_first(env->allowed & env->active & case_domain_mask(domain));
}

ENV bool env_in_interrupt(const struct env *env)
{
	return case_of(env)->in_interrupt;
}

ENV struct donor_task *env_waker(const struct env *env)
{
	return env->has_waker ? &case_of(env)->waker : NULL;
}

ENV __s32 env_this_cpu(const struct env *env)
{
	return env->this_cpu;
}

ENV bool env_turn_to_prev(struct env *env)
{
	return env->prev_waits;
}

/* Take the CPUs of a mask out of the idle ones, and say which was. At most one is in it. */
static __always_inline __s32 case_claim(const struct env *env, __u32 mask)
{
	__s32 cpu = case_first(mask & env->idle);

	case_of(env)->idle &= ~mask;
	case_request(env, REQUEST_CLAIM, mask, cpu, 0);
	return cpu;
}

ENV enum env_idle env_idle_of(const struct env *env, __s32 cpu)
{
	return env->idle & case_mask(cpu) ? ENV_IDLE_YES : ENV_IDLE_NO;
}

ENV bool env_claim(const struct env *env, __s32 cpu)
{
	return case_claim(env, case_mask(cpu)) >= 0;
}

/* Those whose whole core is idle. */
static __always_inline __u32 case_idle_cores(const struct env *env)
{
	__u32 firsts = env->idle & env->idle >> 1 & 0x55555555;

	return env->nr_threads < 2 ? env->idle : firsts | firsts << 1;
}

ENV __s32 env_claim_in(const struct env *env, __u32 domain, bool whole_core)
{
	__u32 idle = whole_core ? case_idle_cores(env) : env->idle;
	__u32 fit = idle & env->allowed & env->active & case_domain_mask(domain);

	return case_claim(env, fit & -fit);
}

ENV __s32 env_claim_lost_core(const struct env *env, __u32 domain)
{
	__s32 cpu = idle_find_core(env, domain);

	return cpu >= 0 && env_task_allowed(env, cpu) && env_claim(env, cpu) ? cpu : -1;
}

ENV void env_insert_at(const struct env *env, __s32 cpu, __u64 slice_ns)
{
	case_request(env, REQUEST_INSERT_AT, cpu, slice_ns, 0);
}

ENV void env_insert(const struct env *env, __u64 queue, __u64 slice_ns, __u64 key)
{
	case_request(env, REQUEST_INSERT, queue, slice_ns, key);
}

/* How many tasks a queue holds, or NULL if there is no such queue. */
static __always_inline __u64 *case_queue(const struct env *env, __u64 queue)
{
	struct donor_domain *d = env_domain(env, (__u32)queue);
	struct donor_cpu *state = env_cpu(env, (__u32)queue);

	if (queue == domain_queue((__u32)queue))
		return d ? &d->nr_queued : NULL;
	return state ? &state->nr_queued : NULL;
}

ENV bool env_take(const struct env *env, __u64 queue)
{
	__u64 *nr_queued = case_queue(env, queue);

	case_request(env, REQUEST_TAKE, queue, nr_queued && *nr_queued, 0);
	if (!nr_queued || !*nr_queued)
		return false;
	--*nr_queued;
	return true;
}

ENV void env_go_on(const struct env *env, __u64 slice_ns)
{
	case_request(env, REQUEST_GO_ON, 0, slice_ns, 0);
}

ENV bool env_queue_head(const struct env *env, __u64 queue, __u64 *ret_key)
{
	*ret_key = env->head_keys[queue != domain_queue((__u32)queue)];
	return env->shows_heads;
}

ENV void env_kick_idle(const struct env *env, __s32 cpu)
{
	case_request(env, REQUEST_KICK_IDLE, cpu, 0, 0);
}

ENV void env_kick_preempt(const struct env *env, __s32 cpu)
{
	case_request(env, REQUEST_KICK_PREEMPT, cpu, 0, 0);
}

static __always_inline __u32 case_set(__u32 mask, __u32 cpu, bool on)
{
	return on ? mask | case_mask(cpu) : mask & ~case_mask(cpu);
}

ENV void env_set_active(const struct env *env, __u32 domain, __u32 cpu, bool active)
{
	case_of(env)->active = case_set(env->active, cpu, active);
	case_request(env, REQUEST_SET_ACTIVE, cpu, domain, active);
}

ENV void env_set_online(const struct env *env, __u32 cpu, bool online)
{
	case_of(env)->online = case_set(env->online, cpu, online);
	case_request(env, REQUEST_SET_ONLINE, cpu, online, 0);
}

ENV void env_set_perf(const struct env *env, __u32 cpu, __u32 perf)
{
	case_request(env, REQUEST_SET_PERF, cpu, perf, 0);
}

ENV void env_count(const struct env *env, enum donor_counter counter)
{
	case_of(env)->counters[case_index(env, counter, CASE_COUNTERS)]++;
}
