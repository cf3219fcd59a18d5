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
#include "bpf/policy/idle.h"

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
	struct donor_cpu states[TABLE_CPUS];
	struct donor_balance balance;
	struct donor_task waker; /* has_waker */
	bool has_waker;
	bool in_interrupt;
	bool idle[TABLE_CPUS]; /* the kernel's mask */
	bool allowed[TABLE_CPUS]; /* and online */
	bool pinned;
	__u32 weight;
	__s32 this_cpu;
	__u32 nr_threads; /* of each core; the threads of a core are numbered one after another */
	__u32 nr_cpus;
	__u64 now_ns;
	__u64 exec_ns;

	/* What policy asked for. */
	__u64 counters[DONOR_NR_COUNTERS];
	__u64 taken_from; /* queue that env_take() last found a task in */
	__u64 inserted_into; /* queue */
	__s32 inserted_at, kicked_idle, kicked_preempt; /* CPU, or -1 */
	__u64 slice_ns, key, went_on_ns;
	__u32 perf[TABLE_CPUS];
	bool prev_waits;
};

/* The state behind a const env, as the kernel's is. */
static inline struct env *table(const struct env *env)
{
	return (struct env *)env;
}

/* The hints, from the mask. */
static inline void env_recount(struct env *env)
{
	for (__u32 d = 0; d < TABLE_DOMAINS; d++)
		env->domains[d].nr_idle_cpus = env->domains[d].nr_idle_cores = 0;
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++)
		env->states[cpu].core_threads = 0;
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++) {
		struct donor_cpu *state = &env->states[cpu];

		state->idle = state->active && env->idle[cpu];
		env->states[env->cpus[cpu].core].core_threads +=
			state->active * CORE_ACTIVE_ONE + state->idle * CORE_IDLE_ONE;
	}
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++) {
		struct donor_domain *d = &env->domains[env->cpus[cpu].domain];

		d->nr_idle_cpus += env->states[cpu].idle;
		d->nr_idle_cores += core_is_whole_idle(env->states[cpu].core_threads);
		if (env->states[cpu].idle)
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
		.weight = DONOR_WEIGHT_ONE,
		.inserted_at = -1,
		.kicked_idle = -1,
		.kicked_preempt = -1,
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
		env.cpus[cpu].sibling = (__u16)(env.cpus[cpu].core + (cpu + 1) % nr_threads);
		env.idle[cpu] = env.allowed[cpu] = true;
		env.states[cpu].online = env.states[cpu].active = true;
		env.states[cpu].domain = env.cpus[cpu].domain;
		env.states[cpu].core = env.cpus[cpu].core;
		env.states[cpu].sibling = env.cpus[cpu].sibling;
	}
	for (__u32 d = 0; d < nr_domains; d++) {
		env.domains[d].nr_online = env.domains[d].nr_active = per_domain;
		env.topology[d].cache = (__u16)d;
		env.topology[d].nr_cores = (__u16)nr_cores;
		env.topology[d].nr_cpus = (__u16)per_domain;
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
	return env->nr_cpus ? env->cpus[env->nr_cpus - 1].domain + 1U : 0;
}

ENV struct donor_balance *env_balance(const struct env *env)
{
	return &table(env)->balance;
}

ENV const struct donor_cpu_topology *env_cpu_topology(const struct env *env, __u32 cpu)
{
	return cpu < env->nr_cpus ? &env->cpus[cpu] : NULL;
}

ENV const struct donor_domain_topology *env_domain_topology(const struct env *env, __u32 domain)
{
	return domain < TABLE_DOMAINS ? &env->topology[domain] : NULL;
}

ENV struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return domain < TABLE_DOMAINS ? &table(env)->domains[domain] : NULL;
}

ENV struct donor_cpu *env_cpu(const struct env *env, __u32 cpu)
{
	return cpu < env->nr_cpus ? &table(env)->states[cpu] : NULL;
}

ENV struct donor_task *env_task(const struct env *env)
{
	return &table(env)->task;
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
	return false;
}

ENV bool env_task_pinned(const struct env *env)
{
	return env->pinned;
}

ENV bool env_task_allowed(const struct env *env, __s32 cpu)
{
	return (__u32)cpu < env->nr_cpus && env->allowed[cpu];
}

ENV bool env_task_covers(const struct env *env, __u32 domain)
{
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++)
		if (env->cpus[cpu].domain == domain && !env->allowed[cpu])
			return false;
	return true;
}

ENV __s32 env_task_any_cpu(const struct env *env)
{
	__s32 any = -1;

	for (__s32 cpu = (__s32)env->nr_cpus - 1; cpu >= 0; cpu--)
		if (env->allowed[cpu] &&
		    (any < 0 || !env->states[any].active || env->states[cpu].active))
			any = cpu;
	return any;
}

ENV __s32 env_task_some_cpu(const struct env *env, __u32 domain)
{
	for (__s32 cpu = (__s32)env->nr_cpus - 1; cpu >= 0; cpu--)
		if (env->cpus[cpu].domain == domain && env->allowed[cpu] && env->states[cpu].active)
			return cpu;
	return -1;
}

ENV bool env_in_interrupt(const struct env *env)
{
	return env->in_interrupt;
}

ENV struct donor_task *env_waker(const struct env *env)
{
	return env->has_waker ? &table(env)->waker : NULL;
}

ENV __s32 env_this_cpu(const struct env *env)
{
	return env->this_cpu;
}

ENV bool env_turn_to_prev(struct env *env)
{
	return env->prev_waits;
}

ENV enum env_idle env_idle_of(const struct env *env, __s32 cpu)
{
	return env->idle[cpu] ? ENV_IDLE_YES : ENV_IDLE_NO;
}

ENV bool env_claim(const struct env *env, __s32 cpu)
{
	bool was_idle = env->idle[cpu];

	table(env)->idle[cpu] = false;
	return was_idle;
}

ENV __s32 env_claim_in(const struct env *env, __u32 domain, bool whole_core)
{
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++) {
		__u32 threads = env->states[env->cpus[cpu].core].core_threads;

		if (env->cpus[cpu].domain == domain && env->allowed[cpu] && env->idle[cpu] &&
		    env->states[cpu].active && (!whole_core || core_is_whole_idle(threads)))
			return env_claim(env, (__s32)cpu) ? (__s32)cpu : -1;
	}
	return -1;
}

ENV __s32 env_claim_lost_core(const struct env *env, __u32 domain)
{
	__s32 cpu = idle_find_core(env, domain);

	return cpu >= 0 && env_task_allowed(env, cpu) && env_claim(env, cpu) ? cpu : -1;
}

ENV void env_insert_at(const struct env *env, __s32 cpu, __u64 slice_ns)
{
	table(env)->inserted_at = cpu;
	table(env)->slice_ns = slice_ns;
}

ENV void env_insert(const struct env *env, __u64 queue, __u64 slice_ns, __u64 key)
{
	table(env)->inserted_into = queue;
	table(env)->slice_ns = slice_ns;
	table(env)->key = key;
}

/* Domain queues hold as many tasks as the domain says. */
ENV bool env_take(const struct env *env, __u64 queue)
{
	struct donor_domain *d = queue >> 32 == 1 ? env_domain(env, (__u32)queue) : NULL;
	struct donor_cpu *c = queue >> 32 == 2 ? env_cpu(env, (__u32)queue) : NULL;
	__u64 *nr_queued = d ? &d->nr_queued : c ? &c->nr_queued : NULL;

	if (!nr_queued || !*nr_queued)
		return false;
	--*nr_queued;
	table(env)->taken_from = queue;
	return true;
}

ENV void env_go_on(const struct env *env, __u64 slice_ns)
{
	table(env)->went_on_ns = slice_ns;
}

ENV bool env_queue_head(const struct env *env, __u64 queue, __u64 *ret_key)
{
	return false;
}

ENV void env_kick_idle(const struct env *env, __s32 cpu)
{
	table(env)->kicked_idle = cpu;
}

ENV void env_kick_preempt(const struct env *env, __s32 cpu)
{
	table(env)->kicked_preempt = cpu;
}

ENV void env_set_active(const struct env *env, __u32 domain, __u32 cpu, bool active)
{
}

ENV void env_set_online(const struct env *env, __u32 cpu, bool online)
{
}

ENV void env_set_perf(const struct env *env, __u32 cpu, __u32 perf)
{
	table(env)->perf[cpu] = perf;
}

ENV void env_count(const struct env *env, enum donor_counter counter)
{
	table(env)->counters[counter]++;
}
