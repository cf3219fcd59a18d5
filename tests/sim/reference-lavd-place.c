/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/machine.h"
#include "tests/sim/reference-lavd.h"

/*
 * The order in which LAVD looks for an idle CPU, without the steps for kinds of cores, power modes
 * and options that are off. What matters here: half of the own core comes before the whole core of
 * another domain, and a domain gives only while it has the role for it.
 */

static bool has_smt(struct sim *sim, __s32 cpu)
{
	return sim_machine(sim)->sibling[cpu] != cpu;
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

/* A synchronous waker may win the domain, never the CPU. */
static void find_sticky(struct sim *sim, struct sim_task *p, __s32 prev, __s32 waker,
			struct lavd_choice *ret)
{
	struct lavd *lavd = lavd_of(sim);
	__u32 theirs = reference_domain_of(sim, waker);

	ret->cpu = reference_may_use(p, prev) && cpu_is_online(sim, prev) ? prev
									  : random_of_two(sim, p);
	ret->domain = reference_domain_of(sim, ret->cpu);
	if (waker >= 0 && lavd->domains[theirs].load < lavd->domains[ret->domain].load) {
		ret->domain = theirs;
		ret->cpu = -1;
	}
}

static bool take(struct lavd_choice *choice, __s32 cpu)
{
	if (cpu < 0)
		return false;
	choice->cpu = cpu;
	choice->idle = true;
	return true;
}

static bool nothing_queued(struct sim *sim, __s32 cpu)
{
	return !cpu_nr_local(sim, cpu) && !kernel_nr_queued(sim, REFERENCE_CPU + (__u64)cpu) &&
	       !kernel_nr_queued(sim, REFERENCE_DOMAIN + reference_domain_of(sim, cpu));
}

/* To the nearest stealer with a whole idle core. Both have done their part then. */
static bool donate(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	const struct donor_topology *t = sim_topology(sim);
	struct lavd *lavd = lavd_of(sim);
	__u32 from = choice->domain;

	if (!lavd->donates || !lavd->domains[from].stealee || !any_idle_core(sim))
		return false;
	for (__u32 i = 0; i + 1 < t->nr_domains; i++) {
		__u32 to = t->domains[from].neighbours[i];

		if (!lavd->domains[to].stealer ||
		    !take(choice, reference_pick(sim, p, &lavd->reference.domains[to], true)))
			continue;
		lavd->domains[from].stealee = lavd->domains[to].stealer = false;
		choice->domain = to;
		sim_report(sim, &(struct sim_event){ .kind = EVENT_DONATE,
						     .task = p,
						     .cpu = choice->cpu,
						     .from_cpu = task_view(p)->cpu });
		return true;
	}
	return false;
}

static bool choose_core(struct sim *sim, struct sim_task *p, struct lavd_choice *choice)
{
	const cpu_set_t *home = &lavd_of(sim)->reference.domains[choice->domain];
	__s32 cpu = choice->cpu;

	if (cpu >= 0 && has_smt(sim, cpu) && reference_claim_core(sim, p, cpu))
		return take(choice, cpu);
	if (has_smt(sim, reference_first_allowed(sim, p)) &&
	    take(choice, reference_pick(sim, p, home, true)))
		return true;
	return cpu >= 0 && reference_claim(sim, p, cpu) && take(choice, cpu);
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
	if (!any_idle(sim, task_allowed(p)) || choose_core(sim, p, &choice))
		goto out;
	if (waker >= 0 && nothing_queued(sim, waker) &&
	    reference_domain_of(sim, waker) == reference_domain_of(sim, prev)) {
		choice.cpu = waker;
		goto out;
	}
	if (donate(sim, p, &choice))
		goto out;
	take(&choice, reference_pick(sim, p, &lavd->reference.domains[choice.domain], false));
out:
	if (choice.cpu < 0)
		choice.cpu = reference_may_use(p, prev) ? prev : random_of_two(sim, p);
	return choice;
}
