/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/properties-parts.h"

/* P4 and P8: those who wait, longest first. A look at them all is due once per grace. */

void properties_wait(struct properties *pr, struct property_task *task)
{
	if (task->next)
		return;
	task->waits_since_ns = sim_now_ns(pr->sim);
	task->prev = pr->waiting.prev;
	task->next = &pr->waiting;
	task->prev->next = task->next->prev = task;
}

static void check_bound(struct properties *pr, const struct property_task *task)
{
	__u64 ns = sim_now_ns(pr->sim) - task->waits_since_ns;

	if (pr->options.wait_bound_ns && ns > pr->options.wait_bound_ns)
		properties_fail(pr, "P8: %s %d waits for %llu us already, the bound is %llu us",
				task_spec(task->task)->name, task_view(task->task)->pid, ns / 1000,
				pr->options.wait_bound_ns / 1000);
}

void properties_wait_over(struct properties *pr, struct property_task *task)
{
	if (!task->next)
		return;
	check_bound(pr, task);
	task->prev->next = task->next;
	task->next->prev = task->prev;
	task->next = task->prev = NULL;
}

static bool same_domain(const struct properties *pr, __s32 a, __s32 b)
{
	const struct donor_topology *t = sim_topology(pr->sim);

	return a >= 0 && b >= 0 && t->cpus[a].domain == t->cpus[b].domain;
}

/* Is the CPU idle for too long beside the task? One that is being woken is not to blame. */
static bool is_left_idle(const struct properties *pr, const struct property_task *task, __s32 cpu)
{
	__u64 now_ns = sim_now_ns(pr->sim), since_ns = pr->idle_since_ns[cpu];
	__u64 grace_ns = same_domain(pr, task_view(task->task)->cpu, cpu)
				 ? pr->options.grace_ns
				 : pr->options.far_grace_ns;

	if (!grace_ns || since_ns == ~0ULL || !CPU_ISSET((size_t)cpu, task_allowed(task->task)))
		return false;
	if (since_ns < task->waits_since_ns)
		since_ns = task->waits_since_ns;
	return now_ns - since_ns > grace_ns && !cpu_kick_pending(pr->sim, cpu);
}

static void check_conserved(struct properties *pr, const struct property_task *task)
{
	if (task->place == PLACE_LOCAL && cpu_kick_pending(pr->sim, task->cpu))
		return;
	for (__s32 cpu = 0; cpu < (__s32)pr->nr_cpus && !pr->broken; cpu++)
		if (is_left_idle(pr, task, cpu))
			properties_fail(pr, "P4: CPU %d is idle while %s %d waits since %llu us",
					cpu, task_spec(task->task)->name,
					task_view(task->task)->pid,
					(sim_now_ns(pr->sim) - task->waits_since_ns) / 1000);
}

static __u64 look_every_ns(const struct properties *pr)
{
	__u64 ns = pr->options.grace_ns ?: pr->options.far_grace_ns;

	return ns ?: pr->options.wait_bound_ns;
}

void properties_check_waits(struct properties *pr)
{
	__u64 now_ns = sim_now_ns(pr->sim), every_ns = look_every_ns(pr);
	struct property_task *first = pr->waiting.next;

	if (!every_ns || first == &pr->waiting || now_ns < pr->looked_ns + every_ns)
		return;
	pr->looked_ns = now_ns;
	check_bound(pr, first);
	if (!pr->nr_idle)
		return;
	for (struct property_task *t = first; t != &pr->waiting && !pr->broken; t = t->next)
		check_conserved(pr, t);
}
