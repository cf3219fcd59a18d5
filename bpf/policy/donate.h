/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/idle.h"

/*
 * Donation: on a machine with few runnable tasks the queues are empty, so stealing finds nothing,
 * while the cores of one domain are crowded and those of another sleep. A domain without an idle
 * core therefore gives a task that wakes or is queued again to a whole idle core of the nearest
 * domain that has one.
 */

/* How it ended. The order is that of the counters of a hook. */
enum donate_exit {
	DONATE_OK,
	DONATE_OFF,
	DONATE_RESTRICTED,
	DONATE_SHORT,
	DONATE_COOLING,
	DONATE_BALANCED,
	DONATE_EGRESS,
	DONATE_NO_CORE, /* from here on: of the domains, the one that came nearest to a success */
	DONATE_KIND,
	DONATE_NO_GAIN,
	DONATE_INGRESS,
	DONATE_RACE,
	_DONATE_EXIT_MAX,
};

/* Does the task want a whole core badly enough to leave its cache for it? */
enum donate_need {
	DONATE_FOR_CORE, /* the alternative is half a core at home */
	DONATE_FOR_CPU, /* the alternative is to wait */
};

enum {
	DONATE_LOAD_MIN = TASK_LOAD_ONE / 16,
	DONATE_LOAD_FRESH = TASK_LOAD_ONE / 4, /* at least: nobody knows yet */
};

static __always_inline bool donate_is_on(const struct donor_params *params, enum donor_hook hook)
{
	return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;
}

static __always_inline __u32 donate_load(const struct donor_task *task)
{
	return u64_max(task->load, task_is_fresh(task) ? DONATE_LOAD_FRESH : DONATE_LOAD_MIN);
}

/*
 * Are there budgets to keep to? The pass that hands them out is slow while the machine is idle;
 * then they are of the past, and the strict fall of the larger load is enough.
 */
static __always_inline bool donate_is_budgeted(const struct env *env)
{
	const struct donor_params *params = env_params(env);
	const struct donor_balance *balance = env_balance(env);

	return params->donate_delta_pct && balance && !task_is_fresh(env_task(env)) &&
	       env_now_ns(env) - balance->passed_at_ns < 2 * params->balance_interval_ns;
}

/*
 * The domain that gives, looked up once for the whole walk. Whether there are budgets is kept in the
 * task: carried through the loops on the stack, 6.12 took it for always false and dropped the test.
 */
struct donate_giver {
	const struct donor_domain *d;
	const struct donor_domain_topology *topology;
	__u32 domain;
};

static __always_inline bool donate_look_up(const struct env *env, __u32 domain,
					   struct donate_giver *ret)
{
	ret->domain = domain;
	ret->d = env_domain(env, domain);
	ret->topology = env_domain_topology(env, domain);
	env_task(env)->budgeted = donate_is_budgeted(env);
	return ret->d && ret->topology;
}

/* Is it busier than the mean by the margin, and has it something left to give? */
static __always_inline enum donate_exit donate_budget(const struct env *env,
						      const struct donate_giver *giver)
{
	const struct donor_balance *balance = env_balance(env);
	__u64 delta_pct = env_params(env)->donate_delta_pct;

	if (!env_task(env)->budgeted || !balance)
		return DONATE_OK;
	if (giver->d->pressure * 100 < balance->pressure * (100 + delta_pct))
		return DONATE_BALANCED;
	return giver->d->egress > 0 ? DONATE_OK : DONATE_EGRESS;
}

/* DONATE_OK: look for a recipient. */
static __always_inline enum donate_exit donate_gate(const struct env *env, enum donor_hook hook,
						    enum donate_need need)
{
	const struct donor_params *params = env_params(env);
	const struct donor_task *task = env_task(env);

	if (!donate_is_on(params, hook))
		return DONATE_OFF;
	if (env_task_pinned(env))
		return DONATE_RESTRICTED;
	if (need == DONATE_FOR_CORE && !task_is_fresh(task) &&
	    task->avg_run_ns < params->donate_min_run_ns)
		return DONATE_SHORT;
	if (task->donated_at_ns &&
	    env_now_ns(env) - task->donated_at_ns < params->donate_cooldown_ns)
		return DONATE_COOLING;
	return DONATE_OK;
}

/* A task may go to its own kind of core, and up to a faster one where the mode says so. */
static __always_inline bool donate_kind_fits(const struct donor_params *params,
					     const struct donor_domain_topology *from,
					     const struct donor_domain_topology *to)
{
	return to->kind == from->kind || (params->donate_cross_kind && to->kind > from->kind);
}

/* Tasks that run or wait in the domain, at this moment. */
static __always_inline __u64 donate_nr_busy(const struct donor_domain *d)
{
	return d->nr_active - u64_min(d->nr_idle_cpus, d->nr_active) + d->nr_queued;
}

/*
 * And in the one that has no whole idle core left: each core is busy, whatever the hints say. They
 * lag behind a burst of claims, whose CPUs are yet to wake up.
 */
static __always_inline __u64 donate_nr_busy_at_home(const struct donor_domain *d,
						    const struct donor_domain_topology *home)
{
	return u64_max(donate_nr_busy(d), u64_min(home->nr_cores, d->nr_active));
}

/*
 * With the task there, the recipient must be less busy than the giver would be with it here. The
 * larger of the two falls, so the way back is closed: that would need the opposite.
 */
static __always_inline bool donate_gains(const struct donor_domain *from,
					 const struct donor_domain_topology *home,
					 const struct donor_domain *to)
{
	return (donate_nr_busy(to) + 1) * from->nr_active <
	       (donate_nr_busy_at_home(from, home) + 1) * to->nr_active;
}

/* How many of the neighbours, nearest first, a donation may look at. */
static __always_inline __u32 donate_reach(const struct donor_params *params,
					  const struct donor_domain_topology *home)
{
	__u32 farthest = u64_min(params->donate_max_distance, DONOR_NR_DISTANCES - 1);

	return u64_min(home->distance_end[farthest], params->donate_max_walk);
}

/* May the domain take a task, by what it shows? DONATE_OK, or what stands against it. */
static __always_inline enum donate_exit donate_admits(const struct env *env,
						      const struct donate_giver *giver, __u32 to)
{
	const struct donor_params *params = env_params(env);
	const struct donor_domain *taker = env_domain(env, to);
	const struct donor_domain_topology *there;

	if (!taker || taker->nr_idle_cores <= params->donate_reserve)
		return DONATE_NO_CORE; /* one load: the common case costs no more */
	there = env_domain_topology(env, to);
	if (!there || !donate_kind_fits(params, giver->topology, there))
		return DONATE_KIND;
	if (!donate_gains(giver->d, giver->topology, taker))
		return DONATE_NO_GAIN;
	return env_task(env)->budgeted && taker->ingress <= 0 ? DONATE_INGRESS : DONATE_OK;
}

static __always_inline void donate_commit(const struct env *env, __u32 from, __u32 to)
{
	struct donor_domain *giver = env_domain(env, from);
	struct donor_domain *taker = env_domain(env, to);
	__s64 load = donate_load(env_task(env));

	env_task(env)->donated_at_ns = env_now_ns(env);
	if (!giver || !taker)
		return;
	__sync_fetch_and_add(&giver->egress, -load);
	__sync_fetch_and_add(&taker->ingress, -load);
	__sync_fetch_and_add(&giver->nr_given, 1);
	__sync_fetch_and_add(&taker->nr_taken, 1);
}

/*
 * Go on to the next neighbour that shows an idle core and may take the task. How far the walk has
 * come, where it ends, and the exit that came nearest to a success, are kept in the task: a
 * variable would be followed by the verifier through all turns, value by value.
 */
static __always_inline void donate_seek(const struct env *env, const struct donate_giver *giver)
{
	struct donor_task *task = env_task(env);
	__u32 i;

	env_for(i, task->walked, task->reach) {
		__u32 to = giver->topology->neighbours[i & (DONOR_MAX_DOMAINS - 1)];
		enum donate_exit exit = donate_admits(env, giver, to);

		task->walked = i;
		if (exit == DONATE_OK)
			return;
		task->nearest_exit = u64_max(task->nearest_exit, exit);
	}
	task->walked = task->reach;
}

/* Visit the neighbours, nearest first. The hints spare the search; the claim decides. */
static __always_inline enum donate_exit
donate_walk(const struct env *env, const struct donate_giver *giver, __s32 *ret_cpu)
{
	struct donor_task *task = env_task(env);
	__u32 i;

	task->walked = 0;
	task->reach = donate_reach(env_params(env), giver->topology);
	task->nearest_exit = DONATE_NO_CORE;
	env_for(i, 0, task->reach) {
		const struct donor_domain *taker;
		__u32 to;

		donate_seek(env, giver);
		if (task->walked >= task->reach)
			break;
		to = giver->topology->neighbours[task->walked & (DONOR_MAX_DOMAINS - 1)];
		taker = env_domain(env, to);
		*ret_cpu = taker ? idle_claim_core(env, to, taker) : -1;
		if (*ret_cpu >= 0) {
			donate_commit(env, giver->domain, to);
			return DONATE_OK;
		}
		task->nearest_exit = DONATE_RACE;
		task->walked++;
	}
	return task->nearest_exit;
}

/* The domain has no idle core: give the task away. *ret_cpu is claimed if the answer is OK. */
static __always_inline enum donate_exit donate(const struct env *env, enum donor_hook hook,
					       enum donate_need need, __u32 from, __s32 *ret_cpu)
{
	enum donate_exit exit = donate_gate(env, hook, need);
	struct donate_giver giver;

	if (exit != DONATE_OK)
		return exit;
	if (!donate_look_up(env, from, &giver))
		return DONATE_NO_CORE;
	exit = donate_budget(env, &giver);
	return exit == DONATE_OK ? donate_walk(env, &giver, ret_cpu) : exit;
}
