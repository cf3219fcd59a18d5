/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/properties-donor.h"

#include "bpf/policy/cpu.h"
#include "bpf/policy/queue-id.h"

/* ---- P5 ---- */

/* CPUs of the domain that run something or were claimed for it. */
static __u64 nr_taken(struct sim *sim, __u32 domain)
{
	const struct donor_topology *t = sim_topology(sim);
	__u64 nr = 0;

	for (__u32 cpu = 0; cpu < t->nr_cpus; cpu++)
		nr += t->cpus[cpu].domain == domain && cpu_is_online(sim, (__s32)cpu) &&
		      !kernel_test_idle(sim, (__s32)cpu);
	return nr;
}

static bool has_whole_core(struct sim *sim, const struct sim_task *task, __u32 domain)
{
	const struct donor_topology *t = sim_topology(sim);
	struct donor_sim *donor = sim_policy_data(sim);

	for (__u32 cpu = 0; cpu < t->nr_cpus; cpu++)
		if (CPU_ISSET(cpu, &donor->active[domain]) && CPU_ISSET(cpu, task_allowed(task)) &&
		    kernel_core_is_idle(sim, (__s32)cpu))
			return true;
	return false;
}

static const char *check_donation(struct sim *sim, const struct sim_event *event, void *data)
{
	const struct donor_topology *t = sim_topology(sim);
	struct donor_sim *donor = sim_policy_data(sim);
	__u32 from, to;

	if (event->kind != EVENT_DONATE)
		return NULL;
	from = t->cpus[event->from_cpu].domain;
	to = t->cpus[event->cpu].domain;
	if (from == to)
		return "given away to where it was";
	if (has_whole_core(sim, event->task, from))
		return "given away although a core is idle at home";
	/* The task is counted where it goes; both are loads per CPU, crosswise. */
	if (nr_taken(sim, to) * donor->domains[from].nr_active >=
	    (nr_taken(sim, from) + 1) * donor->domains[to].nr_active)
		return "given away to a domain that is as busy";
	return NULL;
}

/* ---- P6 ---- */

static const char *check_switches(struct sim *sim, const struct sim_event *event, void *data)
{
	struct donor_sim *donor = sim_policy_data(sim);
	struct properties_donor *state = data;
	const struct donor_params *params;
	const char *wrong = NULL;
	__u64 at_select_cpu, at_enqueue;
	bool settled;

	if (event->kind != EVENT_STEP)
		return NULL;
	params = donor_sim_params(donor);
	settled = state->generation == params->generation;
	at_select_cpu = donor->counters[DONOR_COUNT_donate_select_cpu_ok];
	at_enqueue = donor->counters[DONOR_COUNT_donate_enqueue_ok];
	if (settled && !params->donate_select_cpu && at_select_cpu != state->at_select_cpu)
		wrong = "select_cpu gave a task away while its switch is off";
	if (settled && !params->donate_enqueue && at_enqueue != state->at_enqueue)
		wrong = "enqueue gave a task away while its switch is off";
	state->generation = params->generation;
	state->at_select_cpu = at_select_cpu;
	state->at_enqueue = at_enqueue;
	return wrong;
}

/* Those that look at all CPUs do so at each n-th step, by the size of the machine. */
static bool is_due(struct sim *sim, const struct sim_event *event, __u64 *nr_steps)
{
	return event->kind == EVENT_STEP &&
	       ++*nr_steps % (1 + sim_topology(sim)->nr_cpus / 16) == 0;
}

/* ---- P9 ---- */

static const char *check_queues(struct sim *sim, const struct sim_event *event, void *data)
{
	const struct donor_topology *t = sim_topology(sim);
	struct donor_sim *donor = sim_policy_data(sim);
	struct properties_donor *state = data;
	__u64 nr_tasks = 0, nr_counted = 0;

	if (!is_due(sim, event, &state->nr_steps[0]))
		return NULL;
	for (struct sim_task *p = NULL; (p = sim_next_task(sim, p));)
		nr_tasks += task_view(p)->queued && !task_view(p)->running;
	for (__u32 d = 0; d < t->nr_domains; d++) {
		nr_counted += donor->domains[d].nr_queued + donor->domains[d].nr_restricted;
		if (donor->domains[d].nr_queued < kernel_nr_queued(sim, domain_queue(d)))
			return "a domain counts fewer queued tasks than its queue has";
		if (!donor->domains[d].nr_queued && donor->domains[d].queued_weight)
			return "weight is queued where no task is";
	}
	for (__u32 cpu = 0; cpu < t->nr_cpus; cpu++)
		if (donor->cpus[cpu].nr_queued < kernel_nr_queued(sim, cpu_queue(cpu)))
			return "a CPU counts fewer queued tasks than its queue has";
	return nr_counted > nr_tasks ? "more tasks are counted as queued than wait" : NULL;
}

/* ---- P10 ---- */

static const char *check_domain(const struct donor_topology *t, struct donor_sim *donor, __u32 d)
{
	__u32 nr_idle = 0, nr_cores = 0, nr_active = 0;

	for (__u32 cpu = 0; cpu < t->nr_cpus; cpu++) {
		const struct donor_cpu *c = &donor->cpus[cpu];

		if (t->cpus[cpu].domain != d)
			continue;
		nr_idle += c->idle;
		nr_active += c->active;
		nr_cores += core_is_whole_idle(c->core_threads);
		if (c->active != !!CPU_ISSET(cpu, &donor->active[d]))
			return "the mask of active CPUs is not what they say";
		if (c->active && !c->online)
			return "a CPU is active that is not online";
	}
	if (nr_active != donor->domains[d].nr_active)
		return "the number of active CPUs is wrong";
	if (nr_idle != donor->domains[d].nr_idle_cpus)
		return "the number of idle CPUs is wrong";
	return nr_cores != donor->domains[d].nr_idle_cores ? "the number of idle cores is wrong"
							   : NULL;
}

static const char *check_hints(struct sim *sim, const struct sim_event *event, void *data)
{
	const struct donor_topology *t = sim_topology(sim);
	struct donor_sim *donor = sim_policy_data(sim);
	struct properties_donor *state = data;
	const char *wrong = NULL;

	if (!is_due(sim, event, &state->nr_steps[1]))
		return NULL;
	for (__u32 d = 0; d < t->nr_domains && !wrong; d++)
		wrong = check_domain(t, donor, d);
	return wrong;
}

int properties_add_donor(struct properties *properties, struct properties_donor *state, bool exact)
{
	int r = 0;

	if (exact && !state->hints_may_lag)
		r = properties_add(properties, "P5", check_donation, state);
	r = r ?: properties_add(properties, "P6", check_switches, state);
	if (exact) /* a callback that is cut short has counted half */
		r = r ?: properties_add(properties, "P9", check_queues, state);
	return r ?: properties_add(properties, "P10", check_hints, state);
}
