/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * donor's sched_ext callbacks in the order of a task's life, the table of them last. Glue only:
 * look up, ask bpf/policy/, do as it says, count. Every threshold is a knob.
 */

#include "bpf/kernel.bpf.h"

#include "bpf/env.bpf.h"
#include "bpf/init.bpf.h"

#include "bpf/policy/balance.h"
#include "bpf/policy/deadline.h"
#include "bpf/policy/place.h"
#include "bpf/policy/slice.h"

char _license[] SEC("license") = "GPL";

#define OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(name, ##args)
#define OPS_SLEEPABLE(name, args...) SEC("struct_ops.s/" #name) BPF_PROG(name, ##args)

static __always_inline void count_placement(const struct placement *placement)
{
	count(DONOR_COUNT_place_pinned + placement->exit);
}

static __always_inline void count_donation(const struct placement *placement, enum donor_hook hook)
{
	enum donor_counter first = hook == DONOR_HOOK_SELECT_CPU ? DONOR_COUNT_donate_select_cpu_ok
								 : DONOR_COUNT_donate_enqueue_ok;

	if (placement->donation < _DONATE_EXIT_MAX)
		count(first + placement->donation);
}

__s32 OPS(donor_select_cpu, struct task_struct *p, __s32 prev, __u64 wake_flags)
{
	struct placement placement;
	struct env env;

	if (!env_begin(&env, p))
		return prev;
	placement = place(&env, DONOR_HOOK_SELECT_CPU, prev);
	count_donation(&placement, DONOR_HOOK_SELECT_CPU);
	if (!placement.claimed)
		return placement.cpu; /* enqueue follows: it looks again, and counts the placement */
	count_placement(&placement);
	kernel_insert(p, SCX_DSQ_LOCAL, slice_ns(&env, place_domain_of(&env, placement.cpu)), 0);
	return placement.cpu;
}

/* The CPU is idle and ours, or about to be idle. Where nobody can be kicked, preempting wakes it. */
static __always_inline void run_on(const struct env *env, __s32 cpu, __u64 enq_flags)
{
	if (!bpf_ksym_exists(scx_bpf_kick_cpu))
		enq_flags |= SCX_ENQ_PREEMPT;
	kernel_insert(env->p, SCX_DSQ_LOCAL_ON | cpu, slice_ns(env, place_domain_of(env, cpu)),
		      enq_flags);
	kick_idle(cpu);
}

static __always_inline void queue_in_domain(const struct env *env, __u32 domain, __u64 enq_flags)
{
	struct donor_domain *d = find_domain(domain);

	kernel_insert_vtime(env->p, domain_queue(domain), slice_ns(env, domain), deadline_key(env),
			    enq_flags);
	if (!d)
		return;
	env->task->queued_domain = domain;
	queue_announce(d);
	if (!d->nr_idle_cpus)
		kick_idle(balance_thief(env, domain));
}

static __always_inline void queue_at_cpu(const struct env *env, __s32 cpu, __u64 enq_flags)
{
	struct cpu_state *state = find_cpu(cpu);

	kernel_insert_vtime(env->p, cpu_queue(cpu), slice_ns(env, env->task->domain),
			    deadline_key(env), enq_flags);
	if (state) {
		env->task->queued_cpu = cpu;
		__sync_fetch_and_add(&state->nr_queued, 1);
	}
	kick_idle(cpu);
}

static __always_inline void apply(const struct env *env, const struct placement *placement,
				  __u64 enq_flags)
{
	queue_leave(env->task); /* some kernels re-enqueue without a word */
	deadline_enter(env, place_domain_of(env, placement->cpu));
	if (placement->claimed || placement->exit == PLACE_KEPT)
		run_on(env, placement->cpu, enq_flags);
	else if (placement->exit == PLACE_QUEUED)
		queue_in_domain(env, env->task->domain, enq_flags);
	else
		queue_at_cpu(env, placement->cpu, enq_flags);
}

void OPS(donor_enqueue, struct task_struct *p, __u64 enq_flags)
{
	__s32 prev = scx_bpf_task_cpu(p);
	struct placement placement;
	struct env env;

	if (!env_begin(&env, p)) {
		kernel_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_DFL, enq_flags);
		kick_idle(prev);
		return;
	}
	if (enq_flags & SCX_ENQ_LAST)
		placement = place_again(&env, prev);
	else
		placement = place(&env, DONOR_HOOK_ENQUEUE, prev);
	count_donation(&placement, DONOR_HOOK_ENQUEUE);
	count_placement(&placement);
	apply(&env, &placement, enq_flags);
}

static __always_inline bool take(__u64 queue, enum donor_counter counter)
{
	if (!kernel_move_to_local(queue))
		return false;
	count(counter);
	return true;
}

/*
 * Both the queue of the CPU and that of its domain hold work: the smaller key first, or by turns
 * where the kernel cannot show a head. Neither may starve the other.
 */
static __always_inline bool domain_goes_first(struct cpu_state *state, __s32 cpu, __u32 home)
{
	__u64 of_cpu = 0, of_domain = 0;

	if (kernel_queue_head(cpu_queue(cpu), &of_cpu) &&
	    kernel_queue_head(domain_queue(home), &of_domain))
		return vtime_before(of_domain, of_cpu);
	state->domain_turn = !state->domain_turn;
	return state->domain_turn;
}

static __always_inline bool take_at_home(__s32 cpu, __u32 home)
{
	struct donor_domain *domain = find_domain(home);
	struct cpu_state *state = find_cpu(cpu);

	if (!domain || !state)
		return take(cpu_queue(cpu), DONOR_COUNT_dispatch_cpu);
	if (!state->nr_queued)
		return domain->nr_queued && take(domain_queue(home), DONOR_COUNT_dispatch_domain);
	if (domain->nr_queued && domain_goes_first(state, cpu, home) &&
	    take(domain_queue(home), DONOR_COUNT_dispatch_domain))
		return true;
	return take(cpu_queue(cpu), DONOR_COUNT_dispatch_cpu) ||
	       take(domain_queue(home), DONOR_COUNT_dispatch_domain);
}

static __always_inline bool take_elsewhere(const struct env *env, __u32 home)
{
	__u32 victim = balance_steal(env, home);
	struct donor_domain *domain = find_domain(victim);

	if (!domain)
		return false;
	__sync_fetch_and_add(&domain->nr_stolen, 1);
	count(DONOR_COUNT_dispatch_steal);
	return true;
}

/* Nothing else waits: the running task goes on, unless there may be a better place for it. */
static __always_inline void keep_or_replace(const struct env *env, __s32 cpu, __u32 home)
{
	if (balance_should_replace(env, cpu, home)) {
		count(DONOR_COUNT_dispatch_replace); /* without a slice it comes to enqueue */
		return;
	}
	count(DONOR_COUNT_dispatch_keep);
	kernel_set_slice(env->p, slice_ns(env, home));
}

void OPS(donor_dispatch, __s32 cpu, struct task_struct *prev)
{
	struct env env;
	__u32 home;

	if (!env_begin_cpu(&env))
		return;
	home = place_domain_of(&env, cpu);
	if (take_at_home(cpu, home))
		return;
	if (prev && prev->scx.flags & SCX_TASK_QUEUED) {
		if (env_turn_to(&env, prev))
			keep_or_replace(&env, cpu, home);
		return;
	}
	if (!take_elsewhere(&env, home))
		count(DONOR_COUNT_dispatch_nothing);
}

void OPS(donor_running, struct task_struct *p)
{
	__s32 cpu = scx_bpf_task_cpu(p); /* not where this code runs */
	struct cpu_state *state = find_cpu(cpu);
	struct env env;

	cpu_set_idle(cpu, false);
	if (state)
		state->nr_self_kicks = 0;
	if (!env_begin(&env, p))
		return;
	queue_leave(env.task);
	env.task->charged_ns = p->se.sum_exec_runtime;
	deadline_enter(&env, place_domain_of(&env, cpu));
	deadline_advance(&env);
	count(DONOR_COUNT_task_switches);
}

void OPS(donor_stopping, struct task_struct *p, bool runnable)
{
	struct donor_task *task = find_task(p);

	if (task)
		task_charge(task, p->se.sum_exec_runtime, p->scx.weight);
}

void OPS(donor_quiescent, struct task_struct *p, __u64 deq_flags)
{
	struct donor_task *task = find_task(p);

	if (!task)
		return;
	queue_leave(task);
	if (deq_flags & SCX_DEQ_SLEEP)
		task_sleep(task);
}

void OPS(donor_update_idle, __s32 cpu, bool idle)
{
	cpu_set_idle(cpu, idle);
	if (idle && queue_meets_idle(cpu))
		count(DONOR_COUNT_rescue_kick);
}

__s32 OPS_SLEEPABLE(donor_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct donor_task *task;

	task = bpf_task_storage_get(&tasks, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!task)
		return -ENOMEM;
	task_init(task);
	count(DONOR_COUNT_task_forks);
	return 0;
}

void OPS(donor_enable, struct task_struct *p)
{
	env_calibrate();
}

void OPS(donor_cpu_online, __s32 cpu)
{
	if (!find_cpu_topology(cpu)) {
		kernel_restart("CPU %d came online, whose place in the machine is not known", cpu);
		return;
	}
	cpu_set_online(cpu, true);
	count(DONOR_COUNT_hotplug_online);
}

void OPS(donor_cpu_offline, __s32 cpu)
{
	cpu_set_online(cpu, false);
	count(DONOR_COUNT_hotplug_offline);
}

void OPS(donor_dump, struct scx_dump_ctx *context)
{
	struct donor_machine *m = find_machine();
	struct donor_params *p = find_params();
	__u32 i;

	if (!m || !p)
		return;
	kernel_dump("donor: mode %u, parameters %llu, donation at select_cpu %llu, enqueue %llu\n",
		    p->mode, p->generation, p->donate_select_cpu, p->donate_enqueue);
	bpf_for(i, 0, m->nr_domains) {
		struct donor_domain *d = find_domain(i);

		if (d)
			kernel_dump(
				"domain %u: %u CPUs online, %u idle, %u idle cores, %llu queued\n",
				i, d->nr_online, d->nr_idle_cpus, d->nr_idle_cores, d->nr_queued);
	}
}

__s32 OPS_SLEEPABLE(donor_init)
{
	struct donor_machine *m = find_machine();
	__s32 r;

	if (!m || m->abi_version != DONOR_ABI_VERSION)
		return -EPROTO;
	nr_cpu_ids = scx_bpf_nr_cpu_ids();
	r = init_domains(m->nr_domains);
	return r ?: init_cpus(m->nr_cpus);
}

/* The kind comes last: the service takes it for the sign that the rest is there. */
void OPS(donor_exit, struct scx_exit_info *info)
{
	struct donor_exit *e;
	__u32 zero = 0;

	e = bpf_map_lookup_elem(&exit_record, &zero);
	if (!e)
		return;
	e->code = info->exit_code;
	bpf_probe_read_kernel_str(e->reason, sizeof(e->reason), info->reason);
	bpf_probe_read_kernel_str(e->message, sizeof(e->message), info->msg);
	bpf_probe_read_kernel_str(e->dump, sizeof(e->dump), info->dump);
	__sync_lock_test_and_set(&e->kind, info->kind);
}

SEC(".struct_ops.link")
struct sched_ext_ops donor = {
	.select_cpu = (void *)donor_select_cpu,
	.enqueue = (void *)donor_enqueue,
	.dispatch = (void *)donor_dispatch,
	.running = (void *)donor_running,
	.stopping = (void *)donor_stopping,
	.quiescent = (void *)donor_quiescent,
	.update_idle = (void *)donor_update_idle,
	.init_task = (void *)donor_init_task,
	.enable = (void *)donor_enable,
	.cpu_online = (void *)donor_cpu_online,
	.cpu_offline = (void *)donor_cpu_offline,
	.dump = (void *)donor_dump,
	.init = (void *)donor_init,
	.exit = (void *)donor_exit,
	.flags = SCX_OPS_KEEP_BUILTIN_IDLE | SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING,
	.timeout_ms = 10000,
	.exit_dump_len = DONOR_EXIT_DUMP_BYTES,
	.name = "donor",
};
