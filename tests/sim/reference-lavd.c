/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants-lavd.h"
#include "tests/sim/policies.h"
#include "tests/sim/reference-lavd.h"

/*
 * scx_lavd as of May 2025, as far as placement goes: sticky domains, deadlines by latency
 * criticality, roles from a timer, stealing; before and after it learnt to donate. Left out:
 * preemption at enqueue, choice of active cores, kinds of cores, the boost for lock holders.
 */

/* Does anybody wait for that CPU already? */
static bool is_awaited(struct sim *sim, const struct lavd_choice *choice)
{
	return cpu_nr_local(sim, choice->cpu) ||
	       kernel_nr_queued(sim, REFERENCE_CPU + (__u64)choice->cpu) ||
	       kernel_nr_queued(sim, REFERENCE_DOMAIN + choice->domain);
}

static void insert(struct sim *sim, struct sim_task *p, const struct lavd_choice *choice,
		   __u64 enq_flags)
{
	struct lavd_task *task = task_policy_data(p);
	bool pinned = task_view(p)->nr_allowed == 1;
	__u64 dsq = pinned ? REFERENCE_CPU + (__u64)choice->cpu : REFERENCE_DOMAIN + choice->domain;
	__u64 deadline_ns = lavd_deadline(sim, p);

	if (choice->idle && !is_awaited(sim, choice)) {
		kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | (__u64)choice->cpu, LAVD_SLICE_MAX_NS,
			      enq_flags);
	} else {
		task->queued = true;
		lavd_of(sim)->nr_queued++;
		kernel_insert_vtime(sim, p, dsq, LAVD_SLICE_MIN_NS, deadline_ns, enq_flags);
	}
	if (choice->idle)
		kernel_kick_cpu(sim, choice->cpu, SIM_KICK_IDLE);
}

/* At once to the CPU only if nobody waits there already. */
static __s32 lavd_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	struct lavd_task *task = task_policy_data(p);
	struct lavd_choice choice = lavd_choose(sim, p, prev, wake_flags);

	task->sync = wake_flags & SIM_WAKE_SYNC;
	if (choice.idle && !is_awaited(sim, &choice)) {
		lavd_deadline(sim, p);
		kernel_insert(sim, p, SIM_DSQ_LOCAL, LAVD_SLICE_MAX_NS, 0);
		return choice.cpu;
	}
	task->chosen = choice.cpu;
	task->chosen_domain = choice.domain;
	task->chosen_idle = choice.idle;
	return choice.cpu;
}

static void lavd_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	struct lavd_task *task = task_policy_data(p);
	struct lavd_choice choice = { .cpu = task->chosen,
				      .domain = task->chosen_domain,
				      .idle = task->chosen_idle };

	task->woken = enq_flags & SIM_ENQ_WAKEUP;
	if (task->chosen < 0)
		choice = lavd_choose(sim, p, task_view(p)->cpu, 0);
	task->chosen = -1;
	insert(sim, p, &choice, enq_flags);
}

static int init(struct sim *sim, bool donates)
{
	int err = reference_init(sim, sizeof(struct lavd));
	struct lavd *lavd = lavd_of(sim);

	if (err)
		return err;
	lavd->donates = donates;
	lavd->slice_ns = LAVD_SLICE_MAX_NS;
	for (__u32 d = 0; d < lavd->reference.nr_domains; d++)
		lavd->domains[d].nr_cpus = (__u32)CPU_COUNT(&lavd->reference.domains[d]);
	kernel_start_timer(sim, LAVD_TIMER_NS);
	return 0;
}

static int init_before(struct sim *sim)
{
	return init(sim, false);
}

static int init_after(struct sim *sim)
{
	return init(sim, true);
}

#define LAVD_CALLBACKS                                                                             \
	.select_cpu = lavd_select_cpu, .enqueue = lavd_enqueue, .dispatch = lavd_dispatch,         \
	.runnable = lavd_runnable, .running = lavd_running, .stopping = lavd_stopping,             \
	.quiescent = lavd_quiescent, .update_idle = lavd_update_idle, .timer = lavd_timer,         \
	.init_task = lavd_init_task, .exit = reference_exit

const struct sim_policy policy_lavd_before = {
	.name = "lavd-before",
	.help = "placement of scx_lavd before it had donation",
	.init = init_before,
	LAVD_CALLBACKS,
};

const struct sim_policy policy_lavd_after = {
	.name = "lavd-after",
	.help = "placement of scx_lavd when it had learnt to donate, May 2025",
	.init = init_after,
	LAVD_CALLBACKS,
};
