/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/constants.h"
#include "tests/sim/kernel.h"

/*
 * The idle masks. A bit says that its CPU is idle and that nobody has claimed it. In idle_cores,
 * which the kernel calls the SMT mask, a core has its bits while all its threads have theirs.
 */

/* Go round the threads of a core that are online. */
#define for_each_thread(sim, cpu, first)                                                           \
	for (__s32 cpu = (first), _i = 0; !_i || cpu != (first);                                   \
	     cpu = (sim)->machine->topology.cpus[cpu].sibling, _i = 1)

static bool core_has_all_bits(const struct sim *sim, __s32 first)
{
	for_each_thread(sim, cpu, first) if (sim->cpus[cpu].online &&
					     !mask_test(&sim->idle_cpus, cpu)) return false;
	return true;
}

/* The kernel changes this mask without atomics: it may lose what another CPU writes. */
static bool core_is_lost(struct sim *sim)
{
	enum { ONE_IN = 16 };

	return sim->options.interleave && sim_random(sim, RANDOM_INTERLEAVE) % ONE_IN == 0;
}

void idle_set_bit(struct sim *sim, struct sim_cpu *idle)
{
	mask_set(&sim->idle_cpus, idle->id);
	if (!core_has_all_bits(sim, idle->id) || core_is_lost(sim))
		return;
	for_each_thread(sim, cpu, idle->id) if (sim->cpus[cpu].online)
		mask_set(&sim->idle_cores, cpu);
}

void idle_clear_bit(struct sim *sim, struct sim_cpu *busy)
{
	for_each_thread(sim, cpu, busy->id) mask_clear(&sim->idle_cores, cpu);
	mask_clear(&sim->idle_cpus, busy->id);
}

void idle_enter(struct sim *sim, struct sim_cpu *cpu)
{
	cpu->idle = true;
	cpu->idle_since_ns = sim->now_ns;
	idle_set_bit(sim, cpu);
	OBSERVE(sim, EVENT_IDLE, .cpu = cpu->id);
	call_update_idle(sim, cpu, true);
}

void idle_leave(struct sim *sim, struct sim_cpu *cpu)
{
	if (sim->now_ns - cpu->idle_since_ns > IDLE_COLD_NS)
		cpu_charge(cpu, COST_COLD_NS);
	cpu->idle = false;
	idle_clear_bit(sim, cpu);
	OBSERVE(sim, EVENT_BUSY, .cpu = cpu->id);
	call_update_idle(sim, cpu, false);
}

static bool claim(struct sim *sim, __s32 cpu)
{
	bool mine = mask_test(&sim->idle_cpus, cpu);

	idle_clear_bit(sim, cpu_of(sim, cpu));
	if (mine)
		OBSERVE(sim, EVENT_CLAIM, .cpu = cpu);
	return mine;
}

static bool is_cpu(const struct sim *sim, __s32 cpu)
{
	return cpu >= 0 && cpu < (__s32)sim->topology->nr_cpus && sim->cpus[cpu].exists;
}

bool kernel_claim_idle(struct sim *sim, __s32 cpu)
{
	kernel_yield(sim);
	return is_cpu(sim, cpu) && claim(sim, cpu);
}

/* First CPU in both masks from `from` on, and around. */
static __s32 search(const struct cpu_mask *idle, const cpu_set_t *mask, __s32 from)
{
	const __u64 *allowed = (const __u64 *)mask; /* as glibc has it on 64 bits */
	__u32 first = from / 64, word;
	__u64 bits;

	for (__u32 i = 0; i <= CPU_WORDS; i++) {
		word = (first + i) % CPU_WORDS;
		bits = idle->words[word] & allowed[word];
		if (!i)
			bits &= ~0ULL << (from % 64);
		if (bits)
			return word * 64 + __builtin_ctzll(bits);
	}
	return -1;
}

/* The kernel begins behind the CPU that it found last, so that not all get the same. */
__s32 kernel_pick_idle_cpu(struct sim *sim, const cpu_set_t *mask, bool whole_core)
{
	struct sim_cpu *here;
	__s32 cpu;

	kernel_yield(sim);
	here = cpu_of(sim, kernel_this_cpu(sim));
	cpu = search(&sim->idle_cores, mask, here->distribute);
	if (cpu < 0 && !whole_core)
		cpu = search(&sim->idle_cpus, mask, here->distribute);
	if (cpu < 0)
		return -1;
	here->distribute = (cpu + 1) % DONOR_MAX_CPUS;
	claim(sim, cpu);
	return cpu;
}

bool kernel_test_idle(const struct sim *sim, __s32 cpu)
{
	kernel_yield(sim);
	return is_cpu(sim, cpu) && mask_test(&sim->idle_cpus, cpu);
}

bool kernel_core_is_idle(const struct sim *sim, __s32 cpu)
{
	kernel_yield(sim);
	return is_cpu(sim, cpu) && mask_test(&sim->idle_cores, cpu);
}
