/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants-lavd.h"
#include "tests/sim/reference-lavd.h"

/*
 * Every 10 ms: how busy each domain was, and from that who may give (stealee) and who may
 * take (stealer). A role is used up by one move, so that no more than a task per pair of domains
 * and interval goes astray on old data.
 */

void lavd_update_idle(struct sim *sim, __s32 cpu, bool idle)
{
	struct lavd *lavd = lavd_of(sim);
	__u64 now_ns = sim_now_ns(sim);

	if (lavd->busy_since_ns[cpu])
		lavd->busy_ns[cpu] += now_ns - lavd->busy_since_ns[cpu];
	lavd->busy_since_ns[cpu] = idle ? 0 : now_ns ?: 1;
}

static void measure_cpus(struct sim *sim)
{
	struct lavd *lavd = lavd_of(sim);

	for (__u32 cpu = 0; cpu < lavd->reference.nr_cpus; cpu++) {
		lavd_update_idle(sim, (__s32)cpu, !lavd->busy_since_ns[cpu]);
		lavd->util[cpu] = (__u32)(lavd->busy_ns[cpu] * 1024 / LAVD_TIMER_NS);
		lavd->busy_ns[cpu] = 0;
	}
}

static __u32 load_of(struct sim *sim, __u32 domain)
{
	struct lavd *lavd = lavd_of(sim);
	__u64 sum = kernel_nr_queued(sim, REFERENCE_DOMAIN + domain) * LAVD_QUEUE_LOAD;

	for (__u32 cpu = 0; cpu < lavd->reference.nr_cpus; cpu++)
		if (CPU_ISSET(cpu, &lavd->reference.domains[domain]))
			sum += lavd->util[cpu] +
			       kernel_nr_queued(sim, REFERENCE_CPU + cpu) * LAVD_QUEUE_LOAD;
	return (__u32)(sum / lavd->domains[domain].nr_cpus);
}

static __u32 measure_domains(struct sim *sim)
{
	struct lavd *lavd = lavd_of(sim);
	__u64 all = 0;

	for (__u32 d = 0; d < lavd->reference.nr_domains; d++) {
		lavd->domains[d].load = load_of(sim, d);
		all += lavd->domains[d].load;
	}
	return (__u32)(all / lavd->reference.nr_domains);
}

static void give_roles(struct lavd *lavd, __u32 mean)
{
	__u32 stealer_load = mean - mean * LAVD_STEALER_PCT / 100;
	__u32 stealee_load = mean + mean * LAVD_STEALEE_PCT / 100;

	for (__u32 d = 0; d < lavd->reference.nr_domains; d++) {
		struct lavd_domain *domain = &lavd->domains[d];

		domain->stealer = domain->load < stealer_load;
		domain->stealee = domain->load > stealee_load;
	}
}

static void find_slice(struct lavd *lavd)
{
	__u64 slice_ns = LAVD_SLICE_MAX_NS;

	if (lavd->nr_queued)
		slice_ns = LAVD_TARGETED_NS * lavd->reference.nr_cpus / lavd->nr_queued;
	if (slice_ns < LAVD_SLICE_MIN_NS)
		slice_ns = LAVD_SLICE_MIN_NS;
	if (slice_ns > LAVD_SLICE_MAX_NS)
		slice_ns = LAVD_SLICE_MAX_NS;
	lavd->slice_ns += slice_ns / 8 - lavd->slice_ns / 8;
	lavd->lat_cri_avg = lavd->lat_cri_nr ? lavd->lat_cri_sum / lavd->lat_cri_nr : 0;
	lavd->served_avg_ns = lavd->served_nr ? lavd->served_sum_ns / lavd->served_nr : 0;
	lavd->lat_cri_sum = lavd->lat_cri_nr = lavd->served_sum_ns = lavd->served_nr = 0;
}

/* The timer that chooses the active CPUs wakes them as well: that is how idle ones come to steal. */
static void wake_all(struct sim *sim)
{
	struct lavd *lavd = lavd_of(sim);

	for (__u32 cpu = 0; cpu < lavd->reference.nr_cpus; cpu++)
		if (CPU_ISSET(cpu, &lavd->reference.all) && kernel_test_idle(sim, (__s32)cpu))
			kernel_kick_cpu(sim, (__s32)cpu, SIM_KICK_IDLE);
}

void lavd_timer(struct sim *sim)
{
	struct lavd *lavd = lavd_of(sim);

	measure_cpus(sim);
	give_roles(lavd, measure_domains(sim));
	find_slice(lavd);
	if (lavd->nr_queued)
		wake_all(sim);
	kernel_start_timer(sim, LAVD_TIMER_NS);
}

static bool take_from(struct sim *sim, __u32 domain)
{
	const cpu_set_t *cpus = &lavd_of(sim)->reference.domains[domain];

	if (kernel_move_to_local(sim, REFERENCE_DOMAIN + domain))
		return true;
	for (__u32 cpu = 0; cpu < lavd_of(sim)->reference.nr_cpus; cpu++)
		if (CPU_ISSET(cpu, cpus) && kernel_nr_queued(sim, REFERENCE_CPU + cpu) &&
		    kernel_move_to_local(sim, REFERENCE_CPU + cpu))
			return true;
	return false;
}

/* A stealer robs one stealee before it looks at its own queue, now and then. */
static bool try_to_steal(struct sim *sim, __u32 home)
{
	const struct donor_topology *t = sim_topology(sim);
	struct lavd *lavd = lavd_of(sim);

	if (!lavd->domains[home].stealer ||
	    sim_random(sim, RANDOM_POLICY) % (2 * lavd->reference.nr_cpus))
		return false;
	for (__u32 i = 0; i + 1 < t->nr_domains; i++) {
		__u32 victim = t->domains[home].neighbours[i];

		if (!lavd->domains[victim].stealee || !take_from(sim, victim))
			continue;
		lavd->domains[home].stealer = lavd->domains[victim].stealee = false;
		return true;
	}
	return false;
}

/* Before it sleeps, it takes from anybody. */
static bool force_to_steal(struct sim *sim, __u32 home)
{
	const struct donor_topology *t = sim_topology(sim);

	for (__u32 i = 0; i + 1 < t->nr_domains; i++)
		if (take_from(sim, t->domains[home].neighbours[i]))
			return true;
	return false;
}

static __u64 head_of(struct sim *sim, __u64 dsq)
{
	struct sim_task *head = kernel_dsq_first(sim, dsq);

	return head ? ((struct lavd_task *)task_policy_data(head))->deadline_ns : ~0ULL;
}

void lavd_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	__u32 home = reference_domain_of(sim, cpu);
	__u64 own = REFERENCE_CPU + (__u64)cpu, shared = REFERENCE_DOMAIN + home;
	bool own_first = head_of(sim, own) < head_of(sim, shared);

	if (try_to_steal(sim, home))
		return;
	if (kernel_move_to_local(sim, own_first ? own : shared) ||
	    kernel_move_to_local(sim, own_first ? shared : own) || force_to_steal(sim, home))
		return;
	if (!prev || !task_view(prev)->queued)
		return;
	lavd_exhausted(task_policy_data(prev), true);
	task_set_slice(sim, prev, lavd_slice(sim, prev));
}
