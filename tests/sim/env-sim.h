/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * The answers of the simulated kernel to what policy asks; bpf/env.bpf.h is its twin. Include it
 * before the policy.
 */

#include "bpf/abi.h"
#include "tests/sim/policy-donor.h"
#include "tests/sim/sim.h"

#define env_for(i, from, to) for (i = from; i < (to); i++)

#include "bpf/env.h"
#include "bpf/policy/idle.h"

struct env {
	struct sim *sim;
	struct donor_sim *donor; /* state of the policy in this run */
	struct sim_task *p;
	struct donor_task *task;
	const struct donor_params *params;
	__u64 generation; /* that the callback began with */
	__u64 now_ns;
	__u64 enq_flags;
	struct sim_task *prev; /* at dispatch: who ran */
	bool selecting; /* at select_cpu: the local queue is that of the CPU we return */
};

static inline struct env env_begin_cpu(struct sim *sim)
{
	struct donor_sim *donor = sim_policy_data(sim);

	return (struct env){
		.sim = sim,
		.donor = donor,
		.params = donor_sim_params(donor),
		.generation = donor_sim_params(donor)->generation,
		.now_ns = sim_now_ns(sim),
	};
}

static inline bool env_turn_to(struct env *env, struct sim_task *p)
{
	env->p = p;
	env->task = task_policy_data(p);
	return env->task;
}

/* One callback sees one set of parameters (P7), however often they are switched meanwhile. */
static inline void env_end(const struct env *env)
{
	if (env->params->generation != env->generation)
		sim_eject(env->sim, "P7: the parameters changed within a callback");
}

static inline struct env env_begin(struct sim *sim, struct sim_task *p)
{
	struct env env = env_begin_cpu(sim);

	env_turn_to(&env, p);
	return env;
}

ENV const struct donor_params *env_params(const struct env *env)
{
	return env->params;
}

ENV __u64 env_now_ns(const struct env *env)
{
	return env->now_ns;
}

ENV __u32 env_nr_cpus(const struct env *env)
{
	return sim_topology(env->sim)->nr_cpus;
}

ENV __u32 env_nr_domains(const struct env *env)
{
	return sim_topology(env->sim)->nr_domains;
}

ENV struct donor_balance *env_balance(const struct env *env)
{
	return &env->donor->balance;
}

ENV const struct donor_cpu_topology *env_cpu_topology(const struct env *env, __u32 cpu)
{
	const struct donor_topology *t = sim_topology(env->sim);

	return cpu < t->nr_cpus && t->cpus[cpu].domain != DONOR_NONE ? &t->cpus[cpu] : NULL;
}

ENV const struct donor_domain_topology *env_domain_topology(const struct env *env, __u32 domain)
{
	return domain < DONOR_MAX_DOMAINS ? &sim_topology(env->sim)->domains[domain] : NULL;
}

ENV struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return domain < DONOR_MAX_DOMAINS ? &env->donor->domains[domain] : NULL;
}

ENV struct donor_cpu *env_cpu(const struct env *env, __u32 cpu)
{
	return cpu < DONOR_MAX_CPUS ? &env->donor->cpus[cpu] : NULL;
}

ENV struct donor_task *env_task(const struct env *env)
{
	return env->task;
}

ENV __u32 env_task_weight(const struct env *env)
{
	return task_view(env->p)->weight;
}

ENV __u64 env_task_exec_ns(const struct env *env)
{
	return task_view(env->p)->sum_exec_ns;
}

ENV bool env_task_is_kthread(const struct env *env)
{
	return task_view(env->p)->kthread;
}

ENV bool env_task_pinned(const struct env *env)
{
	return task_view(env->p)->nr_allowed == 1;
}

ENV bool env_task_allowed(const struct env *env, __s32 cpu)
{
	return cpu >= 0 && env->donor->cpus[cpu].online && CPU_ISSET(cpu, task_allowed(env->p));
}

static inline bool env_task_unrestricted(const struct env *env)
{
	return task_view(env->p)->nr_allowed >= sim_topology(env->sim)->nr_cpus;
}

ENV bool env_task_covers(const struct env *env, __u32 domain)
{
	cpu_set_t both;

	if (env_task_unrestricted(env))
		return true;
	CPU_AND(&both, &env->donor->active[domain], task_allowed(env->p));
	return CPU_EQUAL(&both, &env->donor->active[domain]);
}

/* The kernel goes round as well. */
static inline __s32 env_task_cpu_of_mask(const struct env *env, const cpu_set_t *mask)
{
	__u32 nr = sim_topology(env->sim)->nr_cpus;

	for (__u32 i = 1; i <= nr; i++) {
		__u32 cpu = (env->donor->distributed + i) % nr;

		if (CPU_ISSET(cpu, mask) && CPU_ISSET(cpu, task_allowed(env->p)))
			return (__s32)(env->donor->distributed = cpu);
	}
	return -1;
}

ENV __s32 env_task_any_cpu(const struct env *env)
{
	__s32 cpu = env_task_cpu_of_mask(env, &env->donor->all_active);

	if (cpu < 0)
		cpu = env_task_cpu_of_mask(env, &env->donor->all_online);
	return cpu >= 0 ? cpu : task_view(env->p)->cpu;
}

ENV __s32 env_task_some_cpu(const struct env *env, __u32 domain)
{
	return env_task_cpu_of_mask(env, &env->donor->active[domain]);
}

ENV bool env_in_interrupt(const struct env *env)
{
	return task_view(env->p)->by_interrupt;
}

ENV struct donor_task *env_waker(const struct env *env)
{
	struct sim_task *waker = kernel_current(env->sim);

	return waker ? task_policy_data(waker) : NULL;
}

ENV __s32 env_this_cpu(const struct env *env)
{
	return kernel_this_cpu(env->sim);
}

ENV bool env_turn_to_prev(struct env *env)
{
	return env->prev && task_view(env->prev)->queued && env_turn_to(env, env->prev);
}

ENV enum env_idle env_idle_of(const struct env *env, __s32 cpu)
{
	return kernel_test_idle(env->sim, cpu) ? ENV_IDLE_YES : ENV_IDLE_NO;
}

ENV bool env_claim(const struct env *env, __s32 cpu)
{
	return cpu >= 0 && kernel_claim_idle(env->sim, cpu);
}

ENV __s32 env_claim_in(const struct env *env, __u32 domain, bool whole_core)
{
	cpu_set_t cut;

	if (env_task_unrestricted(env))
		return kernel_pick_idle_cpu(env->sim, &env->donor->active[domain], whole_core);
	CPU_AND(&cut, &env->donor->active[domain], task_allowed(env->p));
	return kernel_pick_idle_cpu(env->sim, &cut, whole_core);
}

ENV __s32 env_claim_lost_core(const struct env *env, __u32 domain)
{
	__s32 cpu = idle_find_core(env, domain);

	return cpu >= 0 && env_task_unrestricted(env) && kernel_claim_idle(env->sim, cpu) ? cpu
											  : -1;
}

ENV void env_kick_idle(const struct env *env, __s32 cpu)
{
	if (cpu >= 0)
		kernel_kick_cpu(env->sim, cpu, SIM_KICK_IDLE);
}

ENV void env_kick_preempt(const struct env *env, __s32 cpu)
{
	kernel_kick_cpu(env->sim, cpu, SIM_KICK_PREEMPT);
}

ENV void env_insert_at(const struct env *env, __s32 cpu, __u64 slice_ns)
{
	env->donor->inserted_at = cpu;
	if (env->selecting) {
		kernel_insert(env->sim, env->p, SIM_DSQ_LOCAL, slice_ns, env->enq_flags);
		return;
	}
	kernel_insert(env->sim, env->p, SIM_DSQ_LOCAL_ON | (__u64)cpu, slice_ns, env->enq_flags);
}

ENV void env_insert(const struct env *env, __u64 queue, __u64 slice_ns, __u64 key)
{
	((struct donor_sim_task *)task_policy_data(env->p))->key = key;
	kernel_insert_vtime(env->sim, env->p, queue, slice_ns, key, env->enq_flags);
}

ENV bool env_take(const struct env *env, __u64 queue)
{
	return kernel_move_to_local(env->sim, queue);
}

ENV void env_go_on(const struct env *env, __u64 slice_ns)
{
	task_set_slice(env->sim, env->p, slice_ns);
}

/* With options.blind as on kernels that cannot show it. */
ENV bool env_queue_head(const struct env *env, __u64 queue, __u64 *ret_key)
{
	struct sim_task *first = kernel_dsq_first(env->sim, queue);
	const struct donor_sim_task *task = first ? task_policy_data(first) : NULL;

	if (!task || sim_get_options(env->sim)->blind)
		return false;
	*ret_key = task->key;
	return true;
}

static inline void env_set_mask(cpu_set_t *mask, __u32 cpu, bool on)
{
	if (on)
		CPU_SET(cpu, mask);
	else
		CPU_CLR(cpu, mask);
}

ENV void env_set_active(const struct env *env, __u32 domain, __u32 cpu, bool active)
{
	env_set_mask(&env->donor->active[domain], cpu, active);
	env_set_mask(&env->donor->all_active, cpu, active);
}

ENV void env_set_online(const struct env *env, __u32 cpu, bool online)
{
	env_set_mask(&env->donor->all_online, cpu, online);
}

ENV void env_set_perf(const struct env *env, __u32 cpu, __u32 perf)
{
	kernel_set_cpuperf(env->sim, (__s32)cpu, perf);
}

ENV void env_count(const struct env *env, enum donor_counter counter)
{
	env->donor->counters[counter]++;
}
