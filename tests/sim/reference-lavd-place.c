/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants-lavd.h"
#include "tests/sim/machine.h"
#include "tests/sim/reference-lavd.h"

/*
 * The order in which LAVD looked for an idle CPU in May 2025, without the steps for kinds of cores,
 * power modes and options that are off. What matters here: half of the own core comes before the
 * whole core of another domain, and a domain gives only while it has the role for it.
 * The shortcut to the CPU of a synchronous waker is off, as with --no-wake-sync: with it the
 * published ratios do not come out.
 */

static bool has_smt(struct sim *sim, __s32 cpu)
{
	return sim_machine(sim)->topology.cpus[cpu].sibling != cpu;
}

static bool any_idle(struct sim *sim, const cpu_set_t *mask)
{
	struct lavd *lavd = lavd_of(sim);

	for (__u32 cpu = 0; cpu < lavd->reference.nr_cpus; cpu++)
		if (CPU_ISSET(cpu, mask) && kernel_test_idle(sim, (__s32)cpu))
			return true;
	return false;
}

static bool any_idle_core(struct sim *sim)
{
	struct lavd *lavd = lavd_of(sim);

	for (__u32 cpu = 0; cpu < lavd->reference.nr_cpus; cpu++)
		if (kernel_core_is_idle(sim, (__s32)cpu) && has_smt(sim, (__s32)cpu))
			return true;
	return false;
}

/* The less used of two that the task may use. */
static __s32 random_of_two(struct sim *sim, struct sim_task *p)
{
	struct lavd *lavd = lavd_of(sim);
	__s32 best = -1;

	for (unsigned tries = 0; tries < 2; tries++) {
		__u32 skip = (__u32)(sim_random(sim, RANDOM_POLICY) % task_view(p)->nr_allowed);
		__s32 cpu = 0;

		while (!reference_may_use(p, cpu) || skip--)
			cpu++;
		if (cpu_is_online(sim, cpu) && (best < 0 || lavd->util[cpu] < lavd->util[best]))
			best = cpu;
	}
	return best < 0 ? reference_first_allowed(sim, p) : best;
}

static __s32 waker_of(struct sim *sim, struct sim_task *p, __u64 wake_flags)
{
	struct sim_task *waker = kernel_current(sim);

	if (!(wake_flags & SIM_WAKE_SYNC) || !waker || task_view(waker)->exiting)
		return -1;
	return reference_may_use(p, task_view(waker)->cpu) ? task_view(waker)->cpu : -1;
}

/* Where fewer wait: at the previous CPU's, or at that of a waker who waits for the answer. */
static void find_sticky(struct sim *sim, struct sim_task *p, __s32 prev, __s32 waker,
			struct lavd_choice *ret)
{
	__u32 own, theirs = reference_domain_of(sim, waker);

	ret->cpu = reference_may_use(p, prev) && cpu_is_online(sim, prev) ? prev
									  : random_of_two(sim, p);
	own = ret->domain = reference_domain_of(sim, ret->cpu);
	if (waker >= 0 && own != theirs &&
	    kernel_nr_queued(sim, REFERENCE_DOMAIN + own) >
		    kernel_nr_queued(sim, REFERENCE_DOMAIN + theirs)) {
		ret->cpu = waker;
		ret->domain = theirs;
	}
}

static __s32 first_of(const struct sim_task *p, const cpu_set_t *cpus)
{
	for (__s32 cpu = 0; cpu < DONOR_MAX_CPUS; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus) && reference_may_use(p, cpu))
			return cpu;
	return -1;
}

/* A child, to one of the domains that are first to be active, which take them in turn. */
static void spread_child(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	struct lavd *lavd = lavd_of(sim);
	__u32 nr = lavd->reference.nr_domains;
	__u32 domain = lavd->nr_forks++ % (nr < LAVD_FORK_DOMAINS ? nr : LAVD_FORK_DOMAINS);
	__s32 cpu = first_of(p, &lavd->reference.domains[domain]);

	if (domain == choice->domain || cpu < 0)
		return;
	choice->domain = domain;
	choice->cpu = cpu;
}

/* Whoever has no parent lived before the policy came, and was anywhere. */
static void place_fresh(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	if (kernel_current(sim)) {
		spread_child(sim, p, choice);
		return;
	}
	choice->cpu = random_of_two(sim, p);
	choice->domain = reference_domain_of(sim, choice->cpu);
}

static bool take(struct lavd_choice *choice, __s32 cpu)
{
	if (cpu < 0)
		return false;
	choice->cpu = cpu;
	choice->idle = true;
	return true;
}

/* Claims a whole core of a stealer, nearest first, within a distance from a random one on. */
static bool search_stealers(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	struct lavd *lavd = lavd_of(sim);
	const struct donor_domain_topology *from = &sim_topology(sim)->domains[choice->domain];
	__u32 begin = 0;

	for (unsigned distance = 0; distance < DONOR_NR_DISTANCES; distance++) {
		__u32 nr = from->distance_end[distance] - begin;
		__u32 turn = nr ? (__u32)(sim_random(sim, RANDOM_POLICY) % nr) : 0;

		for (__u32 i = 0; i < nr; i++) {
			__u32 to = from->neighbours[begin + (i + turn) % nr];

			if (!lavd->domains[to].stealer ||
			    !take(choice,
				  reference_pick(sim, p, &lavd->reference.domains[to], true)))
				continue;
			choice->domain = to;
			return true;
		}
		begin = from->distance_end[distance];
	}
	return false;
}

/* Both have done their part then, until the next look at the loads. */
static bool donate(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	struct lavd *lavd = lavd_of(sim);
	__u32 from = choice->domain;

	if (!lavd->donates || !lavd->domains[from].stealee || !any_idle_core(sim) ||
	    !search_stealers(sim, p, choice))
		return false;
	lavd->domains[from].stealee = lavd->domains[choice->domain].stealer = false;
	sim_report(sim, &(struct sim_event){ .kind = EVENT_DONATE,
					     .task = p,
					     .cpu = choice->cpu,
					     .from_cpu = task_view(p)->cpu });
	return true;
}

static bool choose_at_home(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	const cpu_set_t *home = &lavd_of(sim)->reference.domains[choice->domain];
	__s32 cpu = choice->cpu;

	if (has_smt(sim, cpu)) {
		if (reference_claim_core(sim, p, cpu))
			return take(choice, cpu);
		if (take(choice, reference_pick(sim, p, home, true)))
			return true;
	}
	return reference_claim(sim, p, cpu) && take(choice, cpu);
}

struct lavd_choice lavd_choose(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	struct lavd *lavd = lavd_of(sim);
	__s32 waker = waker_of(sim, p, wake_flags);
	struct lavd_choice choice = {};

	find_sticky(sim, p, prev, waker, &choice);
	if (task_view(p)->nr_allowed == 1) {
		choice.idle = reference_claim(sim, p, choice.cpu);
		return choice;
	}
	if (wake_flags & SIM_WAKE_FORK)
		place_fresh(sim, p, &choice);
	if (any_idle(sim, task_allowed(p)) && !choose_at_home(sim, p, &choice) &&
	    !donate(sim, p, &choice))
		take(&choice,
		     reference_pick(sim, p, &lavd->reference.domains[choice.domain], false));
	return choice;
}
