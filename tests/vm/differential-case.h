/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Random cases of the differential test. A case is named by its seed. */

#include "tests/vm/differential.h"

/* splitmix64: any seed will do, also neighbours. */
static inline __u64 random_u64(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Within [low, high]. */
static inline __u64 random_between(__u64 *state, __u64 low, __u64 high)
{
	return low + random_u64(state) % (high - low + 1);
}

static inline bool one_in(__u64 *state, __u64 n)
{
	return !(random_u64(state) % n);
}

/* Of every magnitude below 2^bits, with the ends of the range among them. */
static inline __u64 random_bits(__u64 *state, __u64 bits)
{
	return random_u64(state) >> random_between(state, 64 - bits, 63);
}

static inline __u64 random_number(__u64 *state)
{
	return random_bits(state, 64);
}

/* And of both signs. */
static inline __s64 random_signed(__u64 *state, __u64 bits)
{
	__s64 value = (__s64)random_bits(state, bits);

	return one_in(state, 2) ? -value : value;
}

/* Near the middle one, the way round the end of the range included. */
static inline __u64 random_near(__u64 *state, __u64 middle)
{
	return middle + (__u64)random_signed(state, 40);
}

static inline void random_bytes(__u64 *state, void *to, size_t size)
{
	for (__u8 *byte = to; byte < (__u8 *)to + size; byte++)
		*byte = (__u8)random_u64(state);
}

/* Most of a task's life is within milliseconds: gates that compare are to open and to close. */
static inline void make_params(__u64 *state, struct donor_params *params)
{
#define KNOB(name, unit, minimum, maximum, ...)                                                    \
	params->name = random_between(state, minimum, maximum);
#include "bpf/knobs.def"
#undef KNOB
	params->generation = random_number(state);
	if (one_in(state, 4))
		return;
	params->donate_select_cpu = params->donate_enqueue = !one_in(state, 8);
	params->donate_min_run_ns = random_between(state, 0, 5000000);
	params->donate_cooldown_ns = random_between(state, 0, 5000000);
	params->donate_reserve = one_in(state, 4);
	params->donate_max_distance = DONOR_DISTANCE_REMOTE;
	params->steal = 1;
	params->preempt_margin = random_between(state, 0, 8);
}

static inline void make_state(__u64 *state, struct env *env, __u32 cpu)
{
	struct donor_cpu *c = &env->states[cpu];

	c->online = !one_in(state, 8);
	c->active = c->online && !one_in(state, 8);
	c->idle = (c->active && env->idle & 1U << cpu) != one_in(state, 16);
	c->nr_self_kicks = (__u8)random_between(state, 0, 4);
	c->domain_turn = one_in(state, 2);
	c->handed_over = one_in(state, 4);
	c->doubted = one_in(state, 2);
	c->domain = env->cpus[cpu].domain;
	c->core = env->cpus[cpu].core;
	c->sibling = env->cpus[cpu].sibling;
	c->perf = (__u32)random_between(state, 0, 1025);
	c->nr_queued = one_in(state, 2) ? 0 : random_between(state, 1, 3);
	c->preempted_at_ns = random_near(state, env->now_ns);
	c->running_since_ns = one_in(state, 2) ? 0 : random_near(state, env->now_ns);
	c->busy_ns = random_number(state);
	c->busy_seen_ns = random_near(state, c->busy_ns);
	c->running_weight = (__u32)random_between(state, 1, 10000);
	c->running_criticality = (__u32)random_between(state, 0, 64);
	c->running_perf = one_in(state, 2) ? 1024 : 0;
	c->running_own_criticality = (__u32)random_between(state, 0, 64);
	c->running_wakes_anew = one_in(state, 2);
	c->running_rests = one_in(state, 2);
}

static inline void make_cpus(__u64 *state, struct env *env)
{
	/* Of CPUs that are idle or allowed, in eighths. */
	static const __u8 shares[] = { 0, 1, 4, 8 };
	__u64 idle = shares[random_between(state, 0, 3)];
	__u64 allowed = one_in(state, 2) ? 8 : shares[random_between(state, 0, 3)];

	env->nr_threads = (__u32)random_between(state, 1, 2);
	env->nr_domains = (__u32)random_between(state, 1, CASE_DOMAINS);
	env->nr_cpus = env->nr_domains * CASE_DOMAIN_CPUS;
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++) {
		env->cpus[cpu].domain = (__u16)(cpu / CASE_DOMAIN_CPUS);
		env->cpus[cpu].core = (__u16)(cpu - cpu % env->nr_threads);
		env->cpus[cpu].nr_threads = (__u16)env->nr_threads;
		env->cpus[cpu].sibling = (__u16)(env->cpus[cpu].core + (cpu + 1) % env->nr_threads);
		env->idle |= (__u32)(random_between(state, 0, 7) < idle) << cpu;
		env->allowed |= (__u32)(random_between(state, 0, 7) < allowed) << cpu;
		make_state(state, env, cpu);
		env->online |= (__u32)env->states[cpu].online << cpu;
		env->active |= (__u32)env->states[cpu].active << cpu;
		env->states[env->cpus[cpu].core].core_threads +=
			env->states[cpu].active * CORE_ACTIVE_ONE +
			env->states[cpu].idle * CORE_IDLE_ONE;
	}
}

/* Signed sums of these stay within 64 bits, as they do on a machine. */
static inline void make_load(__u64 *state, const struct env *env, struct donor_domain *domain)
{
	domain->pressure = random_bits(state, 16);
	domain->weight = random_bits(state, 20);
	domain->lead_ns = random_signed(state, 40);
	domain->egress = random_signed(state, 20);
	domain->ingress = random_signed(state, 20);
	domain->pull = one_in(state, 2) ? 0 : random_signed(state, 2);
	domain->load = random_bits(state, 20);
	domain->pull_from = (__u32)random_between(state, 0, env->nr_domains); /* one too many */
}

/* The hints need not be true. */
static inline void make_domain(__u64 *state, const struct env *env, struct donor_domain *domain)
{
	domain->nr_idle_cores = (__u32)random_between(state, 0, 2);
	domain->nr_idle_cpus = (__u32)random_between(state, 0, 2);
	domain->nr_online = (__u32)random_between(state, 0, 4);
	domain->nr_active = (__u32)random_between(state, 0, 4);
	domain->last_idle_cpu = (__u32)random_between(state, 0, env->nr_cpus - 1);
	domain->nr_queued = one_in(state, 2) ? 0 : random_bits(state, one_in(state, 2) ? 2 : 30);
	domain->queued_weight = random_bits(state, 30);
	domain->nr_restricted = random_between(state, 0, 2);
	domain->vtime_ns = random_number(state);
	make_load(state, env, domain);
}

static inline void make_domains(__u64 *state, struct env *env)
{
	__u32 last = env->nr_domains - 1;

	for (__u32 d = 0; d < env->nr_domains; d++) {
		struct donor_domain_topology *t = &env->topology[d];

		t->kind = (__u16)random_between(state, 0, 2);
		t->nr_cores = (__u16)random_between(state, 1, 4);
		t->distance_end[0] = (__u16)random_between(state, 0, last);
		t->distance_end[1] = (__u16)random_between(state, t->distance_end[0], last);
		t->distance_end[2] = (__u16)last;
		for (__u32 i = 0; i < last; i++)
			t->neighbours[i] = (__u8)((d + 1 + i) % env->nr_domains);
		make_domain(state, env, &env->domains[d]);
	}
}

static inline void make_balance(__u64 *state, struct env *env)
{
	struct donor_balance *b = &env->balance;

	env->has_balance = !one_in(state, 8);
	b->passed_at_ns = env->now_ns - random_bits(state, one_in(state, 2) ? 20 : 34);
	b->elapsed_ns = random_bits(state, 34);
	b->load = random_bits(state, one_in(state, 2) ? 11 : 20);
	b->nr_queued = one_in(state, 2) ? 0 : random_bits(state, 10);
	b->pressure = random_bits(state, 16);
	b->service = random_bits(state, 10);
	b->shrinking_since_ns = one_in(state, 2) ? 0 : random_near(state, env->now_ns);
	b->victim = one_in(state, 8) ? DONOR_NONE
				     : (__u32)random_between(state, 0, env->nr_domains - 1);
	b->nr_active = (__u32)random_between(state, 0, CASE_CPUS);
}

/* Every field of it first; then what must make sense. */
static inline void make_task(__u64 *state, const struct env *env, struct donor_task *task)
{
	random_bytes(state, task, sizeof(*task));
	task->searched = one_in(state, 2);
	task->domain = (__u16)random_between(state, 0, env->nr_domains); /* one too many */
	task->vtime_ns = random_near(state, env->domains[task->domain % env->nr_domains].vtime_ns);
	task->queued_domain = one_in(state, 2) ? DONOR_NONE : task->domain;
	task->queued_cpu =
		one_in(state, 2) ? DONOR_NONE : (__u16)random_between(state, 0, env->nr_cpus);
	task->avg_run_ns = random_bits(state, one_in(state, 2) ? 20 : 40);
	task->run_ns = random_bits(state, 40);
	task->sleep_period_ns = random_bits(state, 40);
	task->wake_period_ns = random_bits(state, 40);
	task->slept_at_ns = one_in(state, 8) ? 0 : random_near(state, env->now_ns);
	task->woke_at_ns = one_in(state, 8) ? 0 : random_near(state, env->now_ns);
	task->refreshed_at_ns = random_near(state, env->now_ns);
	task->donated_at_ns = one_in(state, 2) ? 0 : random_near(state, env->now_ns);
	task->replaced_at_ns = one_in(state, 2) ? 0 : random_near(state, env->now_ns);
	task->load = (__u32)random_between(state, 0, TASK_LOAD_ONE);
	task->nr_runs = (__u16)(one_in(state, 2) ? TASK_FRESH_RUNS
						 : random_between(state, 0, TASK_FRESH_RUNS));
	task->criticality = (__u32)random_between(state, 0, 64);
	task->inherited = (__u32)random_between(state, 0, 8);
	task->boost = (__u32)random_between(state, 0, 8);
}

static inline void make_env(__u64 *state, struct env *env)
{
	env->now_ns = random_number(state);
	env->exec_ns = random_number(state);
	env->weight =
		(__u32)(one_in(state, 2) ? DONOR_WEIGHT_ONE : random_between(state, 1, 10000));
	make_params(state, &env->params);
	make_cpus(state, env);
	make_domains(state, env);
	make_balance(state, env);
	make_task(state, env, &env->task);
	make_task(state, env, &env->waker);
	env->head_keys[0] = random_number(state);
	env->head_keys[1] = random_near(state, env->head_keys[0]);
	env->pinned = one_in(state, 8);
	env->kthread = one_in(state, 4);
	env->has_waker = !one_in(state, 4);
	env->in_interrupt = one_in(state, 4);
	env->prev_waits = one_in(state, 2);
	env->shows_heads = one_in(state, 2);
}

static inline void make_case(__u64 seed, struct decision_case *c)
{
	struct env *env = &c->env;
	__u64 state = seed;

	memset(c, 0, sizeof(*c));
	make_env(&state, env);
	c->hook = (__u32)random_between(&state, 0, _DONOR_HOOK_MAX - 1);
	c->need = (__u32)random_between(&state, DONATE_FOR_CORE, DONATE_FOR_CPU);
	c->cpu = (__s32)random_between(&state, 0, env->nr_cpus) - one_in(&state, 16);
	c->domain = (__u32)random_between(&state, 0, env->nr_domains - !one_in(&state, 16));
	c->flag = one_in(&state, 2);
	c->number[0] = random_near(&state, env->task.charged_ns);
	c->number[1] = one_in(&state, 4) ? random_number(&state) : random_between(&state, 0, 10000);
	env->this_cpu = one_in(&state, 2) ? c->cpu : (__s32)random_between(&state, 0, env->nr_cpus);
}
