/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/idle.bpf.h"

#include "bpf/env.h"

/* The answers of the kernel to what policy asks. */

struct env {
	struct task_struct *p;
	struct donor_task *task;
	struct donor_params *params;
	__u64 now_ns;
};

#define env_for(i, from, to) bpf_for(i, from, to)

/*
 * What a BPF program sees in current->migration_disabled when nobody disabled migration: the way
 * into it counts as one on some kernels. Learnt by env_calibrate().
 */
static __u16 migration_disabled_by_bpf;
static bool calibrated;

static __s32 nr_cpu_ids; /* CPU ids that the kernel may ever use; a mask of so many has them all */

/* Called where the current task is known not to have disabled migration itself. */
static __always_inline void env_calibrate(void)
{
	if (calibrated)
		return;
	migration_disabled_by_bpf = bpf_get_current_task_btf()->migration_disabled;
	calibrated = true;
}

/* A callback about a CPU: there is no task to ask about. */
static __always_inline bool env_begin_cpu(struct env *env)
{
	env->p = NULL;
	env->task = NULL;
	env->params = find_params();
	env->now_ns = kernel_now_ns();
	return env->params;
}

/* From here on it is about a task. False: the task is not ours yet, or no longer. */
static __always_inline bool env_turn_to(struct env *env, struct task_struct *p)
{
	env->p = p;
	env->task = find_task(p);
	return env->task;
}

/* A callback about a task. */
static __always_inline bool env_begin(struct env *env, struct task_struct *p)
{
	return env_begin_cpu(env) && env_turn_to(env, p);
}

static __always_inline const struct donor_params *env_params(const struct env *env)
{
	return env->params;
}

static __always_inline const struct donor_cpu_topology *env_cpu_topology(const struct env *env,
									 __u32 cpu)
{
	return find_cpu_topology(cpu);
}

static __always_inline const struct donor_domain_topology *
env_domain_topology(const struct env *env, __u32 domain)
{
	return find_domain_topology(domain);
}

static __always_inline struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return find_domain(domain);
}

static __always_inline struct donor_task *env_task(const struct env *env)
{
	return env->task;
}

static __always_inline __u64 env_now_ns(const struct env *env)
{
	return env->now_ns;
}

static __always_inline bool env_task_pinned(const struct env *env)
{
	__u16 ambient = env->p == bpf_get_current_task_btf() ? migration_disabled_by_bpf : 0;

	return env->p->nr_cpus_allowed == 1 || env->p->migration_disabled > ambient;
}

static __always_inline bool env_task_allowed(const struct env *env, __s32 cpu)
{
	struct cpu_state *state = find_cpu(cpu);

	return state && state->online && bpf_cpumask_test_cpu(cpu, env->p->cpus_ptr);
}

/* Most tasks may run anywhere: no need to look at masks for them. */
static __always_inline bool env_task_unrestricted(const struct env *env)
{
	return env->p->nr_cpus_allowed >= nr_cpu_ids;
}

static __always_inline bool env_task_covers(const struct env *env, __u32 domain)
{
	struct bpf_cpumask *mask;

	if (env_task_unrestricted(env))
		return true;
	mask = find_domain_mask(domain);
	return mask && bpf_cpumask_subset((const struct cpumask *)mask, env->p->cpus_ptr);
}

static __always_inline __s32 env_task_any_cpu(const struct env *env)
{
	struct bpf_cpumask *online = find_domain_mask(ALL_DOMAINS);
	__u32 cpu = online ? bpf_cpumask_any_and_distribute(env->p->cpus_ptr,
							    (const struct cpumask *)online)
			   : DONOR_NONE;

	return cpu < DONOR_MAX_CPUS ? cpu : scx_bpf_task_cpu(env->p);
}

static __always_inline __u32 env_core_threads(const struct env *env, __u32 cpu)
{
	struct donor_cpu_topology *c = find_cpu_topology(cpu);
	struct cpu_state *core = c ? find_cpu(c->core) : NULL;

	return core ? core->core_threads : 0;
}

static __always_inline bool env_core_is_idle(const struct env *env, __s32 cpu)
{
	return core_is_whole_idle(env_core_threads(env, cpu));
}

static __always_inline bool env_core_is_shared(const struct env *env, __s32 cpu)
{
	__u32 threads = env_core_threads(env, cpu);

	return core_nr_online(threads) > core_nr_idle(threads) + 1;
}

static __always_inline bool env_claim(const struct env *env, __s32 cpu)
{
	return cpu >= 0 && kernel_claim_idle(cpu);
}

/* Where the kernel's own search is malformed: one CPU after the other. */
static __always_inline __s32 env_claim_one_by_one(const struct env *env, __u32 domain,
						  bool whole_core)
{
	__s32 cpu;

	bpf_for(cpu, 0, nr_cpu_ids) {
		struct donor_cpu_topology *c = find_cpu_topology(cpu);

		if (c && c->domain == domain && env_task_allowed(env, cpu) &&
		    (!whole_core || env_core_is_idle(env, cpu)) && kernel_claim_idle(cpu))
			return cpu;
	}
	return -1;
}

static __always_inline __s32 env_claim_in(const struct env *env, __u32 domain, __u64 flags)
{
	struct bpf_cpumask *mask = find_domain_mask(domain);
	struct bpf_cpumask *cut;
	struct domain_mask *room;
	__u32 zero = 0;

	if (!mask)
		return -1;
	if (!bpf_ksym_exists(scx_bpf_pick_idle_cpu))
		return env_claim_one_by_one(env, domain, flags & SCX_PICK_IDLE_CORE);
	if (env_task_unrestricted(env))
		return scx_bpf_pick_idle_cpu((const struct cpumask *)mask, flags);
	room = bpf_map_lookup_elem(&scratch_mask, &zero);
	cut = room ? room->cpus : NULL;
	if (!cut || !bpf_cpumask_and(cut, (const struct cpumask *)mask, env->p->cpus_ptr))
		return -1;
	return scx_bpf_pick_idle_cpu((const struct cpumask *)cut, flags);
}

static __always_inline __s32 env_claim_core(const struct env *env, __u32 domain)
{
	struct donor_domain *d = find_domain(domain);

	return d && d->nr_idle_cores ? env_claim_in(env, domain, SCX_PICK_IDLE_CORE) : -1;
}

static __always_inline __s32 env_claim_thread(const struct env *env, __u32 domain)
{
	struct donor_domain *d = find_domain(domain);

	return d && d->nr_idle_cpus ? env_claim_in(env, domain, 0) : -1;
}

static __always_inline bool env_take_from_domain(const struct env *env, __u32 domain)
{
	return kernel_move_to_local(domain_queue(domain));
}
