/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * donor's sched_ext callbacks in the order of a task's life, the table of them last. Glue only:
 * look up, ask bpf/policy/, do as it says, count. Every threshold is a knob.
 */

#include "bpf/kernel.bpf.h"

#include "bpf/env.bpf.h"
#include "bpf/init.bpf.h"

#include "bpf/policy/pass.h"
#include "bpf/policy/scheduler.h"

char _license[] SEC("license") = "GPL";

#define OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(name, ##args)
#define OPS_SLEEPABLE(name, args...) SEC("struct_ops.s/" #name) BPF_PROG(name, ##args)

__s32 OPS(donor_select_cpu, struct task_struct *p, __s32 prev, __u64 wake_flags)
{
	struct env env;

	if (!env_begin(&env, p))
		return prev;
	env.selecting = true;
	return scheduler_select_cpu(&env, prev, wake_flags & SCX_WAKE_SYNC);
}

void OPS(donor_enqueue, struct task_struct *p, __u64 enq_flags)
{
	__s32 prev = kernel_task_cpu(p);
	struct env env;

	if (!env_begin(&env, p)) {
		kernel_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_DFL, enq_flags);
		kick(prev, SCX_KICK_IDLE);
		return;
	}
	env.enq_flags = enq_flags;
	if (scheduler_enqueue(&env, prev, enq_flags & SCX_ENQ_LAST))
		leave_idle(prev);
}

void OPS(donor_dispatch, __s32 cpu, struct task_struct *prev)
{
	struct env env;

	if (!env_begin_cpu(&env))
		return;
	env.prev = prev;
	scheduler_dispatch(&env, cpu);
}

void OPS(donor_running, struct task_struct *p)
{
	__s32 cpu = kernel_task_cpu(p); /* not where this code runs */
	struct env env;

	if (!env_begin(&env, p))
		return;
	env.now_ns = kernel_switch_ns(cpu);
	scheduler_running(&env, cpu);
}

/* Does without parameters. */
void OPS(donor_stopping, struct task_struct *p, bool runnable)
{
	struct env env = {};

	if (env_turn_to(&env, p))
		scheduler_stopping(&env, kernel_task_cpu(p), runnable);
}

/* Global functions: the verifier looks at each by itself. */
#define ROUND(name)                                                                                \
	__noinline int round_##name(void)                                                          \
	{                                                                                          \
		struct donor_balance *pass = find_balance();                                       \
		struct env env;                                                                    \
                                                                                                   \
		if (pass && env_begin_cpu(&env))                                                   \
			pass_##name(&env, pass);                                                   \
		return 0;                                                                          \
	}
PASS_ROUNDS(ROUND)
#undef ROUND

/* In a loop it would be looked at for each turn. */
__noinline int look(__u32 cpu)
{
	struct env env;

	if (env_begin_cpu(&env))
		pass_look(&env, cpu);
	return 0;
}

static int balance_pass(void *map, int *key, struct pass_timer *value)
{
	struct donor_balance *pass = find_balance();
	struct env env;
	__s32 i;

#define ROUND(name) round_##name();
	PASS_ROUNDS(ROUND)
#undef ROUND
	bpf_for(i, 0, nr_cpu_ids) {
		look(i);
	}
	if (pass && env_begin_cpu(&env))
		bpf_timer_start(&value->timer, pass_delay_ns(&env, pass), 0);
	return 0;
}

__s32 OPS_SLEEPABLE(donor_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct donor_task *task;

	task = bpf_task_storage_get(&tasks, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!task)
		return -ENOMEM;
	task_init(task);
	env_count(NULL, DONOR_COUNT_task_forks);
	return 0;
}

void OPS(donor_enable, struct task_struct *p)
{
	env_calibrate();
}

/* It leaves us while it is queued: nobody else would take it out of the count. */
void OPS(donor_disable, struct task_struct *p)
{
	struct env env;

	if (env_begin(&env, p))
		queue_leave(&env);
}

void OPS(donor_cpu_online, __s32 cpu)
{
	struct env env;

	if (!find_cpu_topology(cpu)) {
		kernel_restart("CPU %d came online, whose place in the machine is not known", cpu);
		return;
	}
	if (!env_begin_cpu(&env))
		return;
	cpu_set_online(&env, cpu, true);
	env_count(&env, DONOR_COUNT_hotplug_online);
}

void OPS(donor_cpu_offline, __s32 cpu)
{
	struct env env;

	if (!env_begin_cpu(&env))
		return;
	cpu_set_online(&env, cpu, false);
	env_count(&env, DONOR_COUNT_hotplug_offline);
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

/* The timer is there already when the scheduler is attached once more. */
static __always_inline int init_timer(void)
{
	struct pass_timer *pass_timer_value;
	__u32 zero = 0;
	int r;

	pass_timer_value = bpf_map_lookup_elem(&pass_timer, &zero);
	if (!pass_timer_value)
		return -ENOMEM;
	r = bpf_timer_init(&pass_timer_value->timer, &pass_timer, CLOCK_MONOTONIC);
	if (r == -EBUSY)
		r = 0;
	r = r ?: bpf_timer_set_callback(&pass_timer_value->timer, balance_pass);
	return r ?: bpf_timer_start(&pass_timer_value->timer, 1, 0);
}

__s32 OPS_SLEEPABLE(donor_init)
{
	struct donor_machine *m = find_machine();
	__s32 r;

	if (!m || m->abi_version != DONOR_ABI_VERSION)
		return -EPROTO;
	nr_cpu_ids = scx_bpf_nr_cpu_ids();
	r = init_domains(m->nr_domains);
	r = r ?: init_cpus();
	return r ?: init_timer();
}

/* The map outlives us, and with it the timer would. */
static __always_inline void stop_timer(void)
{
	struct pass_timer *pass_timer_value;
	__u32 zero = 0;

	pass_timer_value = bpf_map_lookup_elem(&pass_timer, &zero);
	if (pass_timer_value)
		bpf_timer_cancel(&pass_timer_value->timer);
}

/* The kind comes last: the service takes it for the sign that the rest is there. */
void OPS(donor_exit, struct scx_exit_info *info)
{
	struct donor_exit *e;
	__u32 zero = 0;

	stop_timer();
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
	.init_task = (void *)donor_init_task,
	.enable = (void *)donor_enable,
	.disable = (void *)donor_disable,
	.cpu_online = (void *)donor_cpu_online,
	.cpu_offline = (void *)donor_cpu_offline,
	.dump = (void *)donor_dump,
	.init = (void *)donor_init,
	.exit = (void *)donor_exit,
	.flags = SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING,
	.timeout_ms = 10000,
	.exit_dump_len = DONOR_EXIT_DUMP_BYTES,
	.name = "donor",
};
