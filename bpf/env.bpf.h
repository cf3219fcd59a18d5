/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/state.bpf.h"

#include "bpf/env.h"

/* The answers of the kernel to what policy asks. */

struct env {
	struct task_struct *p;
	struct donor_task *task;
	struct donor_params *params;
	__u64 now_ns;
	__u64 enq_flags;
	struct task_struct *prev; /* at dispatch: who ran */
	bool selecting; /* at select_cpu: the local queue is that of the CPU we return */
};

#define env_for(i, from, to) bpf_for(i, from, to)

#include "bpf/policy/idle.h"

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

/* From here on it is about a task. False: the task is not ours yet, or no longer. */
static __always_inline bool env_turn_to(struct env *env, struct task_struct *p)
{
	env->p = p;
	env->task = find_task(p);
	return env->task;
}

/* A callback about a CPU: there is no task to ask about. */
static __always_inline bool env_begin_cpu(struct env *env)
{
	*env = (struct env){ .params = find_params() };
	return env->params;
}

/* A callback about a task. */
static __always_inline bool env_begin(struct env *env, struct task_struct *p)
{
	return env_begin_cpu(env) && env_turn_to(env, p);
}

ENV const struct donor_params *env_params(const struct env *env)
{
	return env->params;
}

/* Read when it is first asked for: a clock costs as much as the rest of a short callback. */
ENV __u64 env_now_ns(const struct env *env)
{
	struct env *e = (struct env *)env;

	if (!e->now_ns)
		e->now_ns = kernel_now_ns();
	return e->now_ns;
}

ENV __u32 env_nr_cpus(const struct env *env)
{
	return nr_cpu_ids;
}

ENV __u32 env_nr_domains(const struct env *env)
{
	struct donor_machine *m = find_machine();

	return m ? m->nr_domains : 0;
}

ENV struct donor_balance *env_balance(const struct env *env)
{
	return find_balance();
}

ENV const struct donor_cpu_topology *env_cpu_topology(const struct env *env, __u32 cpu)
{
	return find_cpu_topology(cpu);
}

ENV const struct donor_domain_topology *env_domain_topology(const struct env *env, __u32 domain)
{
	return find_domain_topology(domain);
}

ENV struct donor_domain *env_domain(const struct env *env, __u32 domain)
{
	return find_domain(domain);
}

ENV struct donor_cpu *env_cpu(const struct env *env, __u32 cpu)
{
	return find_cpu(cpu);
}

ENV struct donor_task *env_task(const struct env *env)
{
	return env->task;
}

ENV __u32 env_task_weight(const struct env *env)
{
	return env->p->scx.weight;
}

ENV __u64 env_task_exec_ns(const struct env *env)
{
	return env->p->se.sum_exec_runtime;
}

ENV bool env_task_is_kthread(const struct env *env)
{
	return env->p->flags & PF_KTHREAD;
}

ENV bool env_task_pinned(const struct env *env)
{
	__u16 disabled = env->p->migration_disabled;

	if (disabled && env->p == bpf_get_current_task_btf())
		return env->p->nr_cpus_allowed == 1 || disabled > migration_disabled_by_bpf;
	return env->p->nr_cpus_allowed == 1 || disabled;
}

/* Most tasks may run anywhere: no need to look at masks for them. */
static __always_inline bool env_task_unrestricted(const struct env *env)
{
	return env->p->nr_cpus_allowed >= nr_cpu_ids;
}

ENV bool env_task_allowed(const struct env *env, __s32 cpu)
{
	struct donor_cpu *state = find_cpu(cpu);

	return state && state->online &&
	       (env_task_unrestricted(env) || bpf_cpumask_test_cpu(cpu, env->p->cpus_ptr));
}

ENV bool env_task_covers(const struct env *env, __u32 domain)
{
	struct bpf_cpumask *mask;

	if (env_task_unrestricted(env))
		return true;
	mask = find_mask(domain);
	return mask && bpf_cpumask_subset((const struct cpumask *)mask, env->p->cpus_ptr);
}

ENV __s32 env_task_cpu_of_mask(const struct env *env, __u32 which)
{
	struct bpf_cpumask *mask = find_mask(which);
	__s32 cpu = mask ? bpf_cpumask_any_and_distribute(env->p->cpus_ptr,
							  (const struct cpumask *)mask)
			 : nr_cpu_ids;

	return cpu < nr_cpu_ids ? cpu : -1; /* the kernel's "none" is nr_cpu_ids */
}

ENV __s32 env_task_any_cpu(const struct env *env)
{
	__s32 cpu = env_task_cpu_of_mask(env, ALL_ACTIVE);

	if (cpu < 0)
		cpu = env_task_cpu_of_mask(env, ALL_ONLINE);
	return cpu >= 0 ? cpu : kernel_task_cpu(env->p);
}

ENV __s32 env_task_some_cpu(const struct env *env, __u32 domain)
{
	return env_task_cpu_of_mask(env, domain);
}

ENV bool env_in_interrupt(const struct env *env)
{
	return kernel_in_interrupt();
}

ENV struct donor_task *env_waker(const struct env *env)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	return waker->pid ? find_task(waker) : NULL;
}

ENV __s32 env_this_cpu(const struct env *env)
{
	return bpf_get_smp_processor_id();
}

ENV bool env_turn_to_prev(struct env *env)
{
	return env->prev && env->prev->scx.flags & SCX_TASK_QUEUED && env_turn_to(env, env->prev);
}

ENV enum env_idle env_idle_of(const struct env *env, __s32 cpu)
{
	const struct cpumask *mask;
	bool idle;

	if (!bpf_ksym_exists(scx_bpf_get_idle_cpumask) || !bpf_ksym_exists(scx_bpf_put_idle_cpumask))
		return ENV_IDLE_UNKNOWN;
	mask = scx_bpf_get_idle_cpumask();
	idle = bpf_cpumask_test_cpu(cpu, mask);
	scx_bpf_put_idle_cpumask(mask);
	return idle ? ENV_IDLE_YES : ENV_IDLE_NO;
}

ENV bool env_claim(const struct env *env, __s32 cpu)
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
		struct donor_cpu *state = find_cpu(cpu);
		struct donor_cpu *core = c ? find_cpu(c->core) : NULL;

		if (c && core && state && c->domain == domain && state->active &&
		    env_task_allowed(env, cpu) &&
		    (!whole_core || core_is_whole_idle(core->core_threads)) &&
		    kernel_claim_idle(cpu))
			return cpu;
	}
	return -1;
}

ENV __s32 env_claim_in(const struct env *env, __u32 domain, bool whole_core)
{
	__u64 flags = whole_core ? SCX_PICK_IDLE_CORE : 0;
	struct bpf_cpumask *mask = find_mask(domain);
	struct bpf_cpumask *cut;
	struct domain_mask *room;
	__u32 zero = 0;

	if (!mask)
		return -1;
	if (!bpf_ksym_exists(scx_bpf_pick_idle_cpu))
		return env_claim_one_by_one(env, domain, whole_core);
	if (env_task_unrestricted(env))
		return scx_bpf_pick_idle_cpu((const struct cpumask *)mask, flags);
	room = bpf_map_lookup_elem(&scratch_mask, &zero);
	cut = room ? room->cpus : NULL;
	if (!cut || !bpf_cpumask_and(cut, (const struct cpumask *)mask, env->p->cpus_ptr))
		return -1;
	return scx_bpf_pick_idle_cpu((const struct cpumask *)cut, flags);
}

/* A global function: the verifier looks at the loop once, not at the end of every path to it. */
__noinline int claim_lost_core(__u32 domain)
{
	__s32 cpu = idle_find_core(NULL, domain);

	return cpu >= 0 && kernel_claim_idle(cpu) ? cpu : -1;
}

ENV __s32 env_claim_lost_core(const struct env *env, __u32 domain)
{
	return env_task_unrestricted(env) ? claim_lost_core(domain) : -1;
}

/*
 * The kernel wakes or interrupts by an irq_work of the CPU that asks. One that is on its way down
 * has run its last: the request would stay in its list, and when it is back none of its kicks,
 * ever, would be carried out.
 */
__noinline int kick(__s32 cpu, __u64 flags)
{
	struct donor_cpu *self = find_cpu(bpf_get_smp_processor_id());

	if (cpu >= 0 && self && self->online && bpf_ksym_exists(scx_bpf_kick_cpu))
		scx_bpf_kick_cpu(cpu, flags);
	return 0;
}

/* A task that wakes where it last ran: the kernel interrupts an idle CPU for it after the callback. */
static __always_inline bool wakes_up_at(const struct env *env, __s32 cpu)
{
	return env->enq_flags & SCX_ENQ_WAKEUP && cpu == kernel_task_cpu(env->p);
}

ENV void env_kick_idle(const struct env *env, __s32 cpu)
{
	if (!wakes_up_at(env, cpu))
		kick(cpu, SCX_KICK_IDLE);
}

ENV void env_kick_preempt(const struct env *env, __s32 cpu)
{
	kick(cpu, SCX_KICK_PREEMPT);
}

/* Where nobody can be kicked, preempting wakes an idle CPU. */
ENV void env_insert_at(const struct env *env, __s32 cpu, __u64 slice_ns)
{
	__u64 flags = env->enq_flags;

	if (env->selecting) {
		kernel_insert(env->p, SCX_DSQ_LOCAL, slice_ns, flags);
		return;
	}
	if (!bpf_ksym_exists(scx_bpf_kick_cpu))
		flags |= SCX_ENQ_PREEMPT;
	kernel_insert(env->p, SCX_DSQ_LOCAL_ON | cpu, slice_ns, flags);
}

ENV void env_insert(const struct env *env, __u64 queue, __u64 slice_ns, __u64 key)
{
	kernel_insert_vtime(env->p, queue, slice_ns, key, env->enq_flags);
}

ENV bool env_take(const struct env *env, __u64 queue)
{
	return kernel_move_to_local(queue);
}

ENV void env_go_on(const struct env *env, __u64 slice_ns)
{
	kernel_set_slice(env->p, slice_ns);
}

ENV bool env_queue_head(const struct env *env, __u64 queue, __u64 *ret_key)
{
	return kernel_queue_head(queue, ret_key);
}

static __always_inline void env_set_mask(__u32 which, __u32 cpu, bool on)
{
	struct bpf_cpumask *mask;

	bpf_rcu_read_lock();
	mask = find_mask(which);
	if (mask && on)
		bpf_cpumask_set_cpu(cpu, mask);
	else if (mask)
		bpf_cpumask_clear_cpu(cpu, mask);
	bpf_rcu_read_unlock();
}

ENV void env_set_active(const struct env *env, __u32 domain, __u32 cpu, bool active)
{
	env_set_mask(domain, cpu, active);
	env_set_mask(ALL_ACTIVE, cpu, active);
}

ENV void env_set_online(const struct env *env, __u32 cpu, bool online)
{
	env_set_mask(ALL_ONLINE, cpu, online);
}

ENV void env_set_perf(const struct env *env, __u32 cpu, __u32 perf)
{
	if (bpf_ksym_exists(scx_bpf_cpuperf_set))
		scx_bpf_cpuperf_set(cpu, perf);
}

ENV void env_count(const struct env *env, enum donor_counter counter)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct donor_counters *c = bpf_map_lookup_elem(&counters, &cpu);

	if (c && counter < DONOR_NR_COUNTERS)
		((__u64 *)c)[counter]++;
}
