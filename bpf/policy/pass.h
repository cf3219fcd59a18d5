/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/policy/balance.h"
#include "bpf/policy/compact.h"
#include "bpf/policy/frequency.h"

/*
 * The balance pass, by a timer: it measures each CPU and domain, hands out the budgets of donation,
 * says which domain should fetch tasks from which, wakes CPUs that missed work, and decides how
 * many CPUs are in use. Nothing waits for it: without it, each decision is made on what is known.
 */

/* Load of a CPU since the last pass, a busy one is 1024. */
static __always_inline __u64 pass_load_of(struct donor_cpu *c, __u64 now_ns, __u64 elapsed_ns)
{
	__u64 since_ns = c->running_since_ns;
	__u64 busy_ns = c->busy_ns;
	__u64 delta_ns;

	if (since_ns && since_ns < now_ns)
		busy_ns += now_ns - since_ns;
	/* Read beside its writer: now and then a stretch is seen twice, or the next time. */
	delta_ns = busy_ns > c->busy_seen_ns ? u64_min(busy_ns - c->busy_seen_ns, elapsed_ns) : 0;
	c->busy_seen_ns = busy_ns;
	return delta_ns * TASK_LOAD_ONE / elapsed_ns;
}

static __always_inline void pass_over_cpu(const struct env *env, __u32 cpu, __u64 elapsed_ns)
{
	struct donor_cpu *c = env_cpu(env, cpu);
	struct donor_domain *d = c ? env_domain(env, c->domain) : NULL;
	__u64 load;

	if (!d || !c->online)
		return;
	load = pass_load_of(c, env_now_ns(env), elapsed_ns);
	d->load += load;
	if (c->running_since_ns)
		d->weight += c->running_weight;
	frequency_follow(env, cpu, c, load);
}

static __always_inline void pass_over_idle(const struct env *env, __u32 cpu)
{
	struct donor_cpu *c = env_cpu(env, cpu);
	struct donor_domain *d = c ? env_domain(env, c->domain) : NULL;

	if (!d || !c->online)
		return;
	cpu_look_idle(env, cpu, c, d);
	if (c->idle && c->nr_queued) {
		env_count(env, DONOR_COUNT_rescue_kick);
		env_kick_idle(env, cpu);
	}
}

/* Work waits while a CPU that could do it is idle: should not happen, see queue_enter_domain(). */
static __always_inline void pass_rescue(const struct env *env, __u32 domain,
					const struct donor_domain *d)
{
	__s32 cpu;

	if (!d->nr_queued)
		return;
	cpu = d->nr_idle_cpus ? (__s32)d->last_idle_cpu : balance_sleeper(env, domain);
	if (cpu < 0)
		return;
	env_count(env, DONOR_COUNT_rescue_kick);
	env_kick_idle(env, cpu);
}

/* Service that a task of weight one gets there, 1024: a whole CPU. */
static __always_inline __u64 pass_service(const struct donor_domain *d)
{
	__u64 weight = u64_max(d->weight, 1);

	return u64_min(TASK_LOAD_ONE,
		       (__u64)d->nr_active * DONOR_WEIGHT_ONE * TASK_LOAD_ONE / weight);
}

/*
 * The rounds in their order. Each is a loop over CPUs or domains and keeps its results in the
 * balance: the verifier wants to look at one at a time.
 */
#define PASS_ROUNDS(ROUND)                                                                         \
	ROUND(cpus) ROUND(idle) ROUND(measure) ROUND(budget) ROUND(pull) ROUND(compact)

/* What each CPU did since the last pass. */
static __always_inline void pass_cpus(const struct env *env, struct donor_balance *pass)
{
	__u32 nr_domains = env_nr_domains(env), nr_cpus = env_nr_cpus(env), i;

	env_count(env, DONOR_COUNT_balance_passes);
	pass->elapsed_ns = u64_max(env_now_ns(env) - pass->passed_at_ns, 1);
	pass->passed_at_ns = env_now_ns(env);
	env_for(i, 0, nr_domains) {
		struct donor_domain *d = env_domain(env, i);

		if (d)
			d->load = d->weight = 0;
	}
	env_for(i, 0, nr_cpus) {
		pass_over_cpu(env, i, pass->elapsed_ns);
	}
}

/* Which CPUs are idle, and wrongly so. */
static __always_inline void pass_idle(const struct env *env, struct donor_balance *pass)
{
	__u32 nr = env_nr_cpus(env), i;

	env_for(i, 0, nr) {
		pass_over_idle(env, i);
	}
}

/*
 * What each domain has, and the means. Sums live in the balance and not in registers: the verifier
 * would follow a counter from 0 to the last turn of the loop.
 */
static __always_inline void pass_measure_domain(struct donor_balance *pass, struct donor_domain *d)
{
	__u64 work = d->load + d->nr_queued * TASK_LOAD_ONE;

	d->weight += d->queued_weight;
	d->pressure = ewma(d->pressure, work / u64_max(d->nr_active, 1));
	pass->load += d->load;
	pass->nr_queued += d->nr_queued;
	pass->nr_cpus += d->nr_active;
	pass->pressure_sum += d->pressure * d->nr_active;
	if (d->weight) {
		pass->service += pass_service(d);
		pass->nr_working++;
	}
}

static __always_inline void pass_measure(const struct env *env, struct donor_balance *pass)
{
	__u32 nr = env_nr_domains(env), i;

	pass->load = pass->nr_queued = pass->pressure_sum = pass->service = 0;
	pass->nr_cpus = pass->nr_working = 0;
	env_for(i, 0, nr) {
		struct donor_domain *d = env_domain(env, i);

		if (d)
			pass_measure_domain(pass, d);
	}
	pass->pressure = pass->pressure_sum / u64_max(pass->nr_cpus, 1);
	pass->service /= u64_max(pass->nr_working, 1);
}

/* Service that the domain's tasks got beyond the mean; forgotten when nobody waits. */
static __always_inline __s64 pass_lead_ns(const struct env *env, const struct donor_balance *pass,
					  const struct donor_domain *d)
{
	__s64 most_ns = 4 * (__s64)env_params(env)->balance_lead_ns;
	__s64 more = (__s64)pass_service(d) - (__s64)pass->service;
	__s64 lead_ns = d->lead_ns + more * (__s64)(pass->elapsed_ns / TASK_LOAD_ONE);

	if (!pass->nr_queued || !d->weight)
		return 0;
	return lead_ns > most_ns ? most_ns : lead_ns < -most_ns ? -most_ns : lead_ns;
}

/* What each domain may give and take by donation, and who lags. */
static __always_inline void pass_budget(const struct env *env, struct donor_balance *pass)
{
	__u64 room = pass->pressure * (100 + env_params(env)->donate_delta_pct) / 100;
	__u32 nr = env_nr_domains(env), i;

	pass->victim = DONOR_NONE;
	env_for(i, 0, nr) {
		const struct donor_domain *victim = env_domain(env, pass->victim);
		struct donor_domain *d = env_domain(env, i);

		if (!d)
			continue;
		d->pull = 0;
		d->egress = ((__s64)d->pressure - (__s64)pass->pressure) * d->nr_active;
		d->ingress = ((__s64)room - (__s64)d->pressure) * d->nr_active;
		d->lead_ns = pass_lead_ns(env, pass, d);
		if (d->nr_queued && (!victim || d->lead_ns < victim->lead_ns))
			pass->victim = i;
		pass_rescue(env, i, d);
	}
}

/* Tasks of weight one that would have to move for both domains to be equally loaded. */
static __always_inline __s64 pass_gap(const struct donor_domain *from, const struct donor_domain *to)
{
	__u64 more = from->weight * to->nr_active, less = to->weight * from->nr_active;
	__u64 nr = u64_max(from->nr_active + to->nr_active, 1);

	return more > less ? (more - less) / (nr * DONOR_WEIGHT_ONE) : 0;
}

/*
 * Each domain fetches what it has too little of; and where the difference is less than one task,
 * the one task changes sides when the lead of one domain has grown to the knob. So 9 tasks on 8
 * CPUs get equal service in the long run.
 */
static __always_inline void pass_pull_to(const struct env *env, struct donor_balance *pass,
					 struct donor_domain *victim, struct donor_domain *d)
{
	__s64 lead_ns = env_params(env)->balance_lead_ns;
	__s64 gap = pass_gap(victim, d);

	d->pull_from = pass->victim;
	if (gap > 0 && pass->surplus > 0) {
		d->pull = gap < pass->surplus ? gap : pass->surplus;
		pass->surplus -= d->pull;
	} else if (lead_ns && d->lead_ns - victim->lead_ns >= lead_ns) {
		d->pull = 1;
		d->lead_ns -= lead_ns;
		victim->lead_ns += lead_ns;
	}
}

static __always_inline void pass_pull(const struct env *env, struct donor_balance *pass)
{
	struct donor_domain *victim = env_domain(env, pass->victim);
	__u32 nr = env_nr_domains(env), i;

	if (!victim)
		return;
	pass->surplus = victim->nr_queued;
	env_for(i, 0, nr) {
		struct donor_domain *d = env_domain(env, i);

		if (d && i != pass->victim)
			pass_pull_to(env, pass, victim, d);
	}
}

/* How many CPUs are in use. */
static __always_inline void pass_compact(const struct env *env, struct donor_balance *pass)
{
	compact(env, pass);
	pass->generation = env_params(env)->generation;
}

/* Time until the next pass. */
static __always_inline __u64 pass_delay_ns(const struct env *env, const struct donor_balance *pass)
{
	const struct donor_params *params = env_params(env);
	bool busy = pass->nr_queued || pass->load > TASK_LOAD_ONE / 2;

	return busy ? params->balance_interval_ns : params->balance_idle_ns;
}
