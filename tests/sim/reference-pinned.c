/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/machine.h"
#include "tests/sim/policies.h"
#include "tests/sim/reference.h"

/*
 * What a patient user does by hand: worker i to the first thread of the i-th core, in the order of
 * CPU numbers. Cores that others are confined to come last, sibling threads after all cores. What
 * nobody binds keeps off the bound cores as long as it can, and shares one queue.
 */
struct pinned {
	struct reference reference;
	__u32 nr_places;
	__u16 places[DONOR_MAX_CPUS];
	__u32 nr_bound[DONOR_MAX_CPUS];
	cpu_set_t contested; /* confined background tasks may run there */
	cpu_set_t unbound; /* CPUs of cores that nobody is bound to */
};

static bool is_confined(const struct sim_task *p)
{
	return task_spec(p)->background && task_spec(p)->restricted;
}

static bool core_meets(const struct sim *sim, __s32 cpu, const cpu_set_t *set)
{
	__s32 thread = cpu;

	do {
		if (CPU_ISSET((size_t)thread, set))
			return true;
		thread = sim_machine(sim)->topology.cpus[thread].sibling;
	} while (thread != cpu);
	return false;
}

static void add_places(struct sim *sim, struct pinned *pinned, bool first_thread, bool contested)
{
	const struct donor_topology *t = sim_topology(sim);

	for (__u32 cpu = 0; cpu < t->nr_cpus; cpu++)
		if (t->cpus[cpu].domain != DONOR_NONE &&
		    (t->cpus[cpu].core == cpu) == first_thread &&
		    core_meets(sim, (__s32)cpu, &pinned->contested) == contested)
			pinned->places[pinned->nr_places++] = (__u16)cpu;
}

static void find_places(struct sim *sim, struct pinned *pinned)
{
	pinned->nr_places = 0;
	add_places(sim, pinned, true, false);
	add_places(sim, pinned, true, true);
	add_places(sim, pinned, false, false);
	add_places(sim, pinned, false, true);
}

static __s32 place_by_index(const struct pinned *pinned, const struct sim_task *p)
{
	return pinned->places[(__u32)task_spec(p)->bind_index % pinned->nr_places];
}

/* -1: nobody would bind it, or it may not go there. */
static __s32 place_of(struct sim *sim, const struct sim_task *p)
{
	__s32 cpu;

	if (task_spec(p)->bind_index < 0)
		return -1;
	cpu = place_by_index(sim_policy_data(sim), p);
	return reference_may_use(p, cpu) && cpu_is_online(sim, cpu) ? cpu : -1;
}

static void count_bound(struct sim *sim, __s32 place, bool more)
{
	struct pinned *pinned = sim_policy_data(sim);
	__s32 thread = place;
	__u32 nr = 0;

	pinned->nr_bound[place] += more ? 1 : (__u32)-1;
	do {
		nr += pinned->nr_bound[thread];
		thread = sim_machine(sim)->topology.cpus[thread].sibling;
	} while (thread != place);
	do {
		if (nr)
			CPU_CLR((size_t)thread, &pinned->unbound);
		else
			CPU_SET((size_t)thread, &pinned->unbound);
		thread = sim_machine(sim)->topology.cpus[thread].sibling;
	} while (thread != place);
}

static void find_contested(struct sim *sim, struct pinned *pinned)
{
	CPU_ZERO(&pinned->contested);
	for (struct sim_task *p = sim_next_task(sim, NULL); p; p = sim_next_task(sim, p))
		if (is_confined(p) && !task_view(p)->exiting)
			CPU_OR(&pinned->contested, &pinned->contested, task_allowed(p));
}

/* Places move when somebody confined appears, so bindings are counted anew. */
static void bind_all(struct sim *sim)
{
	struct pinned *pinned = sim_policy_data(sim);

	find_contested(sim, pinned);
	find_places(sim, pinned);
	pinned->unbound = pinned->reference.all;
	for (__u32 cpu = 0; cpu < pinned->reference.nr_cpus; cpu++)
		pinned->nr_bound[cpu] = 0;
	for (struct sim_task *p = sim_next_task(sim, NULL); p; p = sim_next_task(sim, p))
		if (task_spec(p)->bind_index >= 0 && !task_view(p)->exiting)
			count_bound(sim, place_by_index(pinned, p), true);
}

static int pinned_init_task(struct sim *sim, struct sim_task *p)
{
	if (is_confined(p) || task_spec(p)->bind_index >= 0)
		bind_all(sim);
	return reference_init_task(sim, p);
}

static void pinned_exit_task(struct sim *sim, struct sim_task *p)
{
	if (sim_policy_data(sim) && (is_confined(p) || task_spec(p)->bind_index >= 0))
		bind_all(sim);
}

static __s32 search(struct sim *sim, struct sim_task *p, __s32 prev)
{
	struct pinned *pinned = sim_policy_data(sim);
	__s32 place = place_of(sim, p), cpu;
	bool free = prev >= 0 && CPU_ISSET((size_t)prev, &pinned->unbound);

	if (place >= 0)
		return reference_claim(sim, p, place) ? place : -1;
	if (free && reference_claim_core(sim, p, prev))
		return prev;
	cpu = reference_pick(sim, p, &pinned->unbound, true);
	if (cpu < 0 && free && reference_claim(sim, p, prev))
		return prev;
	if (cpu < 0)
		cpu = reference_pick(sim, p, &pinned->unbound, false);
	return cpu < 0 ? reference_pick(sim, p, NULL, false) : cpu;
}

static __s32 pinned_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	__s32 place = place_of(sim, p);

	return reference_select_cpu(sim, p, place < 0 ? prev : place, search);
}

static void enqueue_bound(struct sim *sim, struct sim_task *p, __s32 place, __u64 enq_flags)
{
	struct sim_task *curr = kernel_cpu_curr(sim, place);
	bool intruder = curr && place_of(sim, curr) < 0;

	kernel_insert_vtime(sim, p, REFERENCE_CPU + (__u64)place, REFERENCE_SLICE_NS,
			    reference_vtime(sim, p), enq_flags);
	kernel_kick_cpu(sim, place, intruder ? SIM_KICK_PREEMPT : SIM_KICK_IDLE);
}

static void pinned_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	__s32 place = place_of(sim, p);

	if (reference_enqueue_idle(sim, p, enq_flags, search))
		return;
	if (place >= 0)
		return enqueue_bound(sim, p, place, enq_flags);
	kernel_insert_vtime(sim, p, REFERENCE_SHARED, REFERENCE_SLICE_NS, reference_vtime(sim, p),
			    enq_flags);
	reference_kick_idle(sim, p);
}

static __u64 head_of(struct sim *sim, __u64 dsq)
{
	struct sim_task *head = kernel_dsq_first(sim, dsq);
	struct reference_task *task = head ? task_policy_data(head) : NULL;

	return task ? task->vtime_ns : ~0ULL;
}

/* Whoever is further behind: those bound here, or those who could find no other place. */
static void pinned_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	__u64 own = REFERENCE_CPU + (__u64)cpu;
	bool shared_first = head_of(sim, REFERENCE_SHARED) < head_of(sim, own);

	if (!kernel_move_to_local(sim, shared_first ? REFERENCE_SHARED : own))
		kernel_move_to_local(sim, shared_first ? own : REFERENCE_SHARED);
}

static int pinned_init(struct sim *sim)
{
	int err = reference_init(sim, sizeof(struct pinned));

	if (!err)
		bind_all(sim);
	return err;
}

const struct sim_policy policy_pinned = {
	.name = "pinned",
	.help = "by hand: each worker bound to a core of its own, the rest keeps off",
	.select_cpu = pinned_select_cpu,
	.enqueue = pinned_enqueue,
	.dispatch = pinned_dispatch,
	.running = reference_running,
	.stopping = reference_stopping,
	.init_task = pinned_init_task,
	.exit_task = pinned_exit_task,
	.init = pinned_init,
	.exit = reference_exit,
};
