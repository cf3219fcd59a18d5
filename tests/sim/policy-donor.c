/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/env-sim.h"
#include "tests/sim/policies.h"

#include "bpf/policy/pass.h"
#include "bpf/policy/scheduler.h"

/* donor itself: bpf/donor.bpf.c is the twin of this file, and all that decides is in bpf/policy/. */

/* What becomes a donation is told from the counters: the policy has no other way to say it. */
static __u64 nr_given(const struct env *env)
{
	return env->donor->counters[DONOR_COUNT_donate_select_cpu_ok] +
	       env->donor->counters[DONOR_COUNT_donate_enqueue_ok];
}

static void report_donation(const struct env *env, __s32 from)
{
	struct sim_event event = {
		.kind = EVENT_DONATE,
		.task = env->p,
		.from_cpu = from,
		.cpu = env->donor->inserted_at,
	};

	sim_report(env->sim, &event);
}

static __s32 donor_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	struct env env = env_begin(sim, p);
	__u64 before = nr_given(&env);
	__s32 cpu;

	env.selecting = true;
	cpu = scheduler_select_cpu(&env, prev, wake_flags & SIM_WAKE_SYNC);
	if (nr_given(&env) != before)
		report_donation(&env, prev);
	env_end(&env);
	return cpu;
}

static void donor_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	struct env env = env_begin(sim, p);
	__u64 before = nr_given(&env);
	__s32 prev = task_view(p)->cpu;

	env.enq_flags = enq_flags;
	if (scheduler_enqueue(&env, prev, enq_flags & SIM_ENQ_LAST))
		scheduler_leave_idle(&env, prev);
	if (nr_given(&env) != before)
		report_donation(&env, prev);
	env_end(&env);
}

static void donor_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	struct env env = env_begin_cpu(sim);

	env.prev = prev;
	scheduler_dispatch(&env, cpu);
	env_end(&env);
}

static void donor_running(struct sim *sim, struct sim_task *p)
{
	struct env env = env_begin(sim, p);

	scheduler_running(&env, task_view(p)->cpu);
	env_end(&env);
}

static void donor_stopping(struct sim *sim, struct sim_task *p, bool runnable)
{
	struct env env = env_begin(sim, p);

	scheduler_stopping(&env, task_view(p)->cpu, runnable);
	env_end(&env);
}

static void donor_timer(struct sim *sim)
{
	struct env env = env_begin_cpu(sim);

#define ROUND(name) pass_##name(&env, env_balance(&env));
	PASS_ROUNDS(ROUND)
#undef ROUND
	kernel_start_timer(sim, pass_delay_ns(&env, env_balance(&env)));
	env_end(&env);
}

static int donor_init_task(struct sim *sim, struct sim_task *p)
{
	struct env env = env_begin_cpu(sim);
	struct donor_sim_task *task = calloc(1, sizeof(*task));

	if (!task)
		return -ENOMEM;
	task_init(&task->task);
	task_set_policy_data(p, task);
	env_count(&env, DONOR_COUNT_task_forks);
	return 0;
}

static void donor_exit_task(struct sim *sim, struct sim_task *p)
{
	struct env env = env_begin(sim, p);

	queue_leave(&env);
}

static void set_online(struct sim *sim, __s32 cpu, bool online)
{
	struct env env = env_begin_cpu(sim);

	cpu_set_online(&env, (__u32)cpu, online);
	env_count(&env, online ? DONOR_COUNT_hotplug_online : DONOR_COUNT_hotplug_offline);
}

static void donor_cpu_online(struct sim *sim, __s32 cpu)
{
	set_online(sim, cpu, true);
}

static void donor_cpu_offline(struct sim *sim, __s32 cpu)
{
	set_online(sim, cpu, false);
}

static const struct donor_params balanced = {
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = balanced,
#include "bpf/knobs.def"
#undef KNOB
};

void donor_sim_set_params(struct sim *sim, const struct donor_params *params)
{
	struct donor_sim *donor = sim_policy_data(sim);
	__u32 next = (donor->params.current + 1) % DONOR_NR_SLOTS;
	__u64 generation = donor->params.slots[donor->params.current].generation;

	donor->params.slots[next] = *params;
	donor->params.slots[next].generation = generation + 1;
	donor->params.current = next;
}

static int donor_init_cpus(struct sim *sim)
{
	const struct donor_topology *t = sim_topology(sim);
	struct env env = env_begin_cpu(sim);
	int r = 0;

	for (__u32 cpu = 0; cpu < t->nr_cpus && r >= 0; cpu++) {
		r = kernel_create_dsq(sim, cpu_queue(cpu));
		cpu_set_online(&env, cpu, true);
		scheduler_leave_idle(&env, (__s32)cpu);
	}
	return r;
}

static int donor_init(struct sim *sim)
{
	const struct sim_options *options = sim_get_options(sim);
	struct donor_sim *donor = aligned_alloc(64, sizeof(*donor));
	int r = 0;

	if (!donor)
		return -ENOMEM;
	memset(donor, 0, sizeof(*donor));
	donor->params.slots[0] = options->params ? *options->params : balanced;
	sim_set_policy_data(sim, donor);
	for (__u32 i = 0; i < sim_topology(sim)->nr_domains && r >= 0; i++)
		r = kernel_create_dsq(sim, domain_queue(i));
	if (r >= 0)
		r = donor_init_cpus(sim);
	kernel_start_timer(sim, 1);
	return r;
}

static void donor_exit(struct sim *sim)
{
	free(sim_policy_data(sim));
	sim_set_policy_data(sim, NULL);
}

const struct sim_policy policy_donor = {
	.name = "donor",
	.help = "this scheduler, the text of bpf/policy/",
	.select_cpu = donor_select_cpu,
	.enqueue = donor_enqueue,
	.dispatch = donor_dispatch,
	.running = donor_running,
	.stopping = donor_stopping,
	.exit_task = donor_exit_task,
	.timer = donor_timer,
	.init_task = donor_init_task,
	.cpu_online = donor_cpu_online,
	.cpu_offline = donor_cpu_offline,
	.init = donor_init,
	.exit = donor_exit,
	.ops_flags = SIM_OPS_ENQ_LAST,
};
