/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/properties-parts.h"

/* P3: who takes the idle bit of a CPU must see to it that the CPU wakes. */

static void note_claim(struct properties *pr, __s32 cpu)
{
	if (pr->is_claimed[cpu])
		return;
	pr->is_claimed[cpu] = true;
	pr->claimed[pr->nr_claimed++] = cpu;
}

static void note_idle(struct properties *pr, __s32 cpu, bool idle)
{
	bool was_idle = pr->idle_since_ns[cpu] != ~0ULL;

	if (was_idle == idle)
		return;
	pr->idle_since_ns[cpu] = idle ? sim_now_ns(pr->sim) : ~0ULL;
	pr->nr_idle += idle ? 1 : (__u32)-1;
	if (idle)
		note_claim(pr, cpu); /* it must have its bit at the end of this step */
}

void properties_see_cpu(struct properties *pr, const struct sim_event *event)
{
	switch (event->kind) {
	case EVENT_CLAIM:
		return note_claim(pr, event->cpu);
	case EVENT_IDLE:
	case EVENT_ONLINE:
		return note_idle(pr, event->cpu, true);
	case EVENT_BUSY:
	case EVENT_OFFLINE:
		return note_idle(pr, event->cpu, false);
	default:
		return;
	}
}

static bool is_asleep_unmarked(struct properties *pr, __s32 cpu)
{
	return cpu_is_online(pr->sim, cpu) && cpu_is_idle(pr->sim, cpu) &&
	       !kernel_test_idle(pr->sim, cpu);
}

void properties_check_claims(struct properties *pr)
{
	__u32 nr = 0;

	for (__u32 i = 0; i < pr->nr_claimed; i++) {
		__s32 cpu = pr->claimed[i];

		if (!is_asleep_unmarked(pr, cpu)) {
			pr->is_claimed[cpu] = false;
			continue;
		}
		if (!cpu_kick_pending(pr->sim, cpu))
			properties_fail(pr,
					"P3: CPU %d sleeps, its idle bit is taken, and nobody "
					"called it; %u tasks in its queue",
					cpu, cpu_nr_local(pr->sim, cpu));
		pr->claimed[nr++] = cpu;
	}
	pr->nr_claimed = nr;
}

void properties_look_at_cpus(struct properties *pr)
{
	pr->nr_cpus = sim_topology(pr->sim)->nr_cpus;
	for (__s32 cpu = 0; cpu < (__s32)pr->nr_cpus; cpu++) {
		pr->idle_since_ns[cpu] = ~0ULL;
		note_idle(pr, cpu, cpu_is_online(pr->sim, cpu) && cpu_is_idle(pr->sim, cpu));
	}
}
