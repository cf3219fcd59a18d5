/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/balance.h"
#include "bpf/policy/criticality.h"
#include "bpf/policy/deadline.h"
#include "bpf/policy/frequency.h"
#include "bpf/policy/place.h"
#include "bpf/policy/preempt.h"
#include "bpf/policy/queue.h"
#include "bpf/policy/slice.h"

/*
 * The life of a task as the kernel tells it, callback by callback: ask the decisions in the other
 * headers, do as they say, count. The kernel's glue and the simulator's both call these.
 */

static __always_inline __u32 scheduler_domain_of(const struct env *env, __s32 cpu)
{
	const struct donor_cpu *state = env_cpu(env, cpu);

	return state ? state->domain : DONOR_NONE;
}

static __always_inline void scheduler_count(const struct env *env, enum donor_hook hook,
					    const struct placement *placement)
{
	enum donor_counter first = hook == DONOR_HOOK_SELECT_CPU ? DONOR_COUNT_donate_select_cpu_ok
								 : DONOR_COUNT_donate_enqueue_ok;

	if (placement->donation < _DONATE_EXIT_MAX)
		env_count(env, first + placement->donation);
}

/*
 * The CPU to try. If nothing was inserted there, enqueue follows and queues: it need not search
 * again, for queue_enter_domain() looks once more after it has counted.
 */
static __always_inline __s32 scheduler_select_cpu(const struct env *env, __s32 prev, bool sync)
{
	struct placement placement;

	criticality_woken(env, sync);
	placement = place(env, DONOR_HOOK_SELECT_CPU, prev, sync);
	scheduler_count(env, DONOR_HOOK_SELECT_CPU, &placement);
	if (!placement.claimed) {
		env_task(env)->searched = true;
		return placement.cpu;
	}
	env_count(env, DONOR_COUNT_place_pinned + placement.exit);
	env_insert_at(env, placement.cpu, slice_on_ns(env, placement.cpu));
	return placement.cpu;
}

/* The search found nothing idle at home, whatever the hints say by now: look elsewhere. */
static __always_inline void scheduler_queue_in_domain(const struct env *env, __s32 cpu)
{
	__u32 domain = env_task(env)->domain;
	__s32 thief;

	env_insert(env, domain_queue(domain), slice_on_ns(env, cpu), deadline_key(env));
	queue_enter_domain(env, domain);
	thief = balance_thief(env, domain);
	if (thief >= 0)
		env_kick_idle(env, thief);
	else
		preempt(env, cpu, domain);
}

static __always_inline void scheduler_queue_at_cpu(const struct env *env, __s32 cpu)
{
	env_insert(env, cpu_queue(cpu), slice_on_ns(env, cpu), deadline_key(env));
	queue_enter_cpu(env, cpu);
	preempt(env, cpu, DONOR_NONE);
}

static __always_inline void scheduler_insert_at(const struct env *env,
						const struct placement *placement)
{
	env_insert_at(env, placement->cpu, slice_on_ns(env, placement->cpu));
	/*
	 * Not on all kernels does the insert wake the CPU. And one whose last task comes to enqueue
	 * has already chosen to be idle: it would sleep beside the task.
	 */
	env_kick_idle(env, placement->cpu);
}

/* It needs no queue to be the next. */
static __always_inline void scheduler_insert_next(const struct env *env, __s32 cpu)
{
	env_insert_at(env, cpu, slice_on_ns(env, cpu));
	preempt(env, cpu, DONOR_NONE);
}

/*
 * last: the task ran, nothing else waits, and it was stopped to be placed anew. From a CPU that is
 * to go out of use it goes anywhere.
 */
static __always_inline struct placement scheduler_place(const struct env *env, __s32 prev, bool last)
{
	const struct donor_cpu *state = env_cpu(env, prev);
	struct donor_task *task = env_task(env);
	bool searched = task->searched;

	task->searched = false;
	if (last && state && state->active)
		return place_again(env, prev);
	return searched ? place_searched(env, prev) : place(env, DONOR_HOOK_ENQUEUE, prev, false);
}

/*
 * The CPU has nothing to run, and goes idle as soon as the callback is over. The kernel could tell,
 * by update_idle: at the price of two callbacks for each such switch.
 */
static __always_inline void scheduler_go_idle(const struct env *env, __s32 cpu,
					      struct donor_cpu *state, struct donor_domain *domain)
{
	cpu_set_idle(env, cpu, state, domain, true);
	if (queue_meets_idle(env, cpu, state, domain))
		env_count(env, DONOR_COUNT_self_kick);
}

/* As above, by number. */
static __always_inline void scheduler_leave_idle(const struct env *env, __s32 cpu)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	struct donor_domain *domain = state ? env_domain(env, state->domain) : NULL;

	if (domain)
		scheduler_go_idle(env, cpu, state, domain);
}

/*
 * True: the task was its CPU's last and goes elsewhere. Dispatch is not called again, so
 * scheduler_leave_idle() is due.
 */
static __always_inline bool scheduler_enqueue(const struct env *env, __s32 prev, bool last)
{
	struct placement placement = scheduler_place(env, prev, last);
	__s32 cpu = placement.cpu;

	scheduler_count(env, DONOR_HOOK_ENQUEUE, &placement);
	env_count(env, DONOR_COUNT_place_pinned + placement.exit);

	queue_leave(env); /* some kernels re-enqueue without a word */
	deadline_enter(env, scheduler_domain_of(env, cpu));
	if (placement.claimed || placement.exit == PLACE_KEPT)
		scheduler_insert_at(env, &placement);
	else if (placement.exit == PLACE_AFTER_RESTER)
		scheduler_insert_next(env, cpu);
	else if (placement.exit == PLACE_QUEUED)
		scheduler_queue_in_domain(env, cpu);
	else
		scheduler_queue_at_cpu(env, cpu);
	return last && placement.exit != PLACE_KEPT;
}

static __always_inline bool scheduler_take_elsewhere(const struct env *env, __u32 victim,
						     enum donor_counter counter)
{
	struct donor_domain *domain = env_domain(env, victim);

	if (!domain)
		return false;
	__sync_fetch_and_add(&domain->nr_stolen, 1);
	env_count(env, counter);
	return true;
}

/* The task was on the CPU since it started there or was last charged: for so long. */
static __always_inline __u64 scheduler_charge(const struct env *env, struct donor_cpu *state)
{
	struct donor_task *task = env_task(env);
	__u64 ran_ns = task_charge(task, env_task_exec_ns(env), env_task_weight(env));

	state->busy_ns += ran_ns;
	if (task_runs_long(task)) { /* it is as large as it looks, before it ever sleeps */
		task->load = TASK_LOAD_ONE;
		task->criticality = criticality_of_long_run(task, env_task_weight(env));
	}
	return ran_ns;
}

/* The running task is charged as if it stopped. */
static __always_inline void scheduler_account(const struct env *env, struct donor_cpu *state)
{
	scheduler_charge(env, state);
	state->running_since_ns = env_now_ns(env);
	criticality_runs(state, env_task(env));
}

/* Nothing else waits: the running task goes on, unless there may be a better place for it. */
static __always_inline void scheduler_go_on(const struct env *env, struct donor_cpu *state,
					    struct donor_domain *domain)
{
	scheduler_account(env, state);
	deadline_advance(env_task(env), domain); /* it owes nobody what nobody wanted */
	if (balance_should_replace(env, state)) {
		env_count(env,
			  DONOR_COUNT_dispatch_replace); /* without a slice it comes to enqueue */
		return;
	}
	env_count(env, DONOR_COUNT_dispatch_keep);
	env_go_on(env, slice_ns(env, state, domain));
}

/*
 * Others wait, but the running task comes before all of them: of two tasks on one CPU the heavier
 * one would else get no more than its turn.
 */
static __always_inline bool scheduler_goes_first(struct env *env, __s32 cpu,
						 struct donor_cpu *state,
						 struct donor_domain *domain)
{
	__u64 key, head = 0;

	if (!env_turn_to_prev(env))
		return false;
	scheduler_account(env, state);
	key = deadline_key(env);
	if (state->nr_queued &&
	    (!env_queue_head(env, cpu_queue(cpu), &head) || !vtime_before(key, head)))
		return false;
	if (domain->nr_queued &&
	    (!env_queue_head(env, domain_queue(state->domain), &head) || !vtime_before(key, head)))
		return false;
	env_count(env, DONOR_COUNT_dispatch_first);
	env_go_on(env, env_params(env)->slice_min_ns);
	return true;
}

static __always_inline void scheduler_dispatch(struct env *env, __s32 cpu)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	struct donor_domain *domain = state ? env_domain(env, state->domain) : NULL;

	if (!domain)
		return;
	if (scheduler_take_elsewhere(env, balance_pull(env, domain), DONOR_COUNT_dispatch_pull))
		return;
	if ((state->nr_queued || domain->nr_queued) && scheduler_goes_first(env, cpu, state, domain))
		return;
	if (queue_take_at_home(env, cpu, state, domain))
		return;
	if (env_turn_to_prev(env)) {
		scheduler_go_on(env, state, domain);
		return;
	}
	if (queue_take_restricted(env, state, domain))
		return;
	if (scheduler_take_elsewhere(env, balance_steal(env, state->domain),
				     DONOR_COUNT_dispatch_steal))
		return;
	env_count(env, DONOR_COUNT_dispatch_nothing);
	scheduler_go_idle(env, cpu, state, domain);
}

static __always_inline void scheduler_running(const struct env *env, __s32 cpu)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	struct donor_task *task = env_task(env);
	struct donor_domain *domain = state ? env_domain(env, state->domain) : NULL;

	if (!domain)
		return;
	cpu_set_idle(env, cpu, state, domain, false);
	queue_leave(env);
	task->charged_ns = env_task_exec_ns(env);
	deadline_enter(env, state->domain);
	deadline_advance(task, domain);
	env_count(env, DONOR_COUNT_task_switches);
	state->nr_self_kicks = 0;
	state->handed_over = false;
	state->running_weight = env_task_weight(env);
	state->running_criticality = criticality_now(task);
	state->running_since_ns = env_now_ns(env);
	criticality_runs(state, task);
	frequency_raise(env, cpu, state);
}

/*
 * runnable: it would have gone on. Else it sleeps, but for the moment in which its mask or its
 * weight is changed; that one sleep too many is worth a callback less at each true one.
 */
static __always_inline void scheduler_stopping(const struct env *env, __s32 cpu, bool runnable)
{
	struct donor_cpu *state = env_cpu(env, cpu);
	struct donor_task *task = env_task(env);

	__u64 now_ns;

	if (!state)
		return;
	/* It began then and ran for so long: that spares the clock. */
	now_ns = state->running_since_ns + scheduler_charge(env, state);
	state->running_since_ns = 0;
	if (!runnable && task_sleep(task, now_ns))
		task->criticality = criticality_own(task, env_task_weight(env));
}
