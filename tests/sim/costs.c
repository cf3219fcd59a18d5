/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/* What waking, locking and moving cost. */

__u64 idle_exit_ns(struct sim *sim, const struct sim_cpu *cpu)
{
	__u64 idle_ns = sim->now_ns - cpu->idle_since_ns, exit_ns = EXIT_DEEP_NS;

	if (idle_ns < IDLE_SHALLOW_NS)
		exit_ns = EXIT_SHALLOW_NS;
	else if (idle_ns < IDLE_MEDIUM_NS)
		exit_ns = EXIT_MEDIUM_NS;
	return exit_ns + sim_random(sim, RANDOM_KERNEL) % (exit_ns / 4);
}

/* Of one look under the lock of a queue that CPUs share: wait for who has it, and pay for all who
 * want it, because its cache line travels between them. */
__u64 lock_cost_ns(struct sim *sim, struct dsq *dsq, const struct sim_cpu *cpu)
{
	__u64 now_ns = sim->now_ns, wait_ns = 0, hold_ns;

	if (dsq->cpu >= 0)
		return 0; /* its run queue lock is held anyhow */
	if (now_ns - dsq->window_ns > LOCK_WINDOW_NS) {
		dsq->window_ns = now_ns;
		dsq->contenders = (struct cpu_mask){};
		dsq->nr_contenders = 0;
	}
	dsq->nr_contenders += !mask_test(&dsq->contenders, cpu->id);
	mask_set(&dsq->contenders, cpu->id);
	hold_ns = COST_LOCK_NS + COST_CONTENDER_NS * (dsq->nr_contenders - 1);
	if (dsq->lock_free_ns > now_ns)
		wait_ns = dsq->lock_free_ns - now_ns;
	if (wait_ns > hold_ns * sim->topology->nr_cpus)
		wait_ns = hold_ns * sim->topology->nr_cpus; /* each CPU waits but once */
	dsq->lock_free_ns = now_ns + wait_ns + hold_ns;
	return wait_ns + hold_ns;
}

/* Work to fill the caches again after the way from one CPU to another. */
static __u64 refill_ns(const struct sim *sim, const struct sim_task *p, __s32 from, __s32 to)
{
	const struct donor_topology *topology = sim->topology;
	const struct donor_cpu_topology *a = &topology->cpus[from], *b = &topology->cpus[to];
	const struct donor_domain_topology *x = &topology->domains[a->domain];
	const struct donor_domain_topology *y = &topology->domains[b->domain];
	__u64 kb = p->spec.footprint_kb, ns;

	if (!kb || a->core == b->core)
		return 0;
	if (x->cache == y->cache)
		return REFILL_CACHE_NS + kb * REFILL_CACHE_PS_PER_KB / 1000;
	ns = REFILL_NODE_NS + kb * REFILL_NODE_PS_PER_KB / 1000;
	return x->node == y->node ? ns : ns * REFILL_REMOTE_PCT / 100;
}

void task_moved(struct sim *sim, struct sim_task *p, __s32 cpu)
{
	__u64 refill;

	if (p->last_cpu >= 0 && p->last_cpu != cpu) {
		refill = refill_ns(sim, p, p->last_cpu, cpu) * SPEED_ONE;
		if (refill > p->refill)
			p->refill = refill; /* no more than all of it can be missing */
	}
	p->last_cpu = cpu;
}
