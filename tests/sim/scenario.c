/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/policies.h"
#include "tests/sim/properties-donor.h"
#include "tests/sim/scenario.h"
#include "tests/sim/trace-hash.h"

static const struct donor_params modes[_DONOR_MODE_MAX] = {
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = power,
	[DONOR_MODE_POWER] = {
		.mode = DONOR_MODE_POWER,
#include "bpf/knobs.def"
	},
#undef KNOB
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = balanced,
	[DONOR_MODE_BALANCED] = {
		.mode = DONOR_MODE_BALANCED,
#include "bpf/knobs.def"
	},
#undef KNOB
#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help) .name = performance,
	[DONOR_MODE_PERFORMANCE] = {
		.mode = DONOR_MODE_PERFORMANCE,
#include "bpf/knobs.def"
	},
#undef KNOB
};

struct donor_params scenario_params(enum donor_mode mode)
{
	return modes[mode];
}

__u64 scenario_counter(const struct scenario *scenario, enum donor_counter counter)
{
	return scenario->donor.counters[counter];
}

static void observe_and_run(struct scenario *s, struct sim *sim)
{
	const struct properties_options options = {
		.grace_ns = s->grace_ns,
		.far_grace_ns = s->grace_ns,
		.wait_bound_ns = s->wait_bound_ns ?: 10000000000,
		.every = 64,
	};
	struct properties_donor of_donor = {};
	struct properties *properties;
	struct metrics *metrics;
	struct trace_hash hash = {};
	int r;

	assert_int_equal(metrics_new(sim, &metrics), 0);
	assert_int_equal(properties_new(sim, &options, &properties), 0);
	if (!s->policy)
		assert_int_equal(properties_add_donor(properties, &of_donor, !s->interleave), 0);
	trace_hash_observe(sim, &hash);
	s->start(sim, s);
	r = sim_run(sim, s->until_ns);
	if (sim_error(sim))
		fail_msg("%s", sim_error(sim));
	assert_int_equal(r, s->until_ns ? -ETIMEDOUT : 0);
	metrics_finish(metrics, &s->result);
	if (s->finish)
		s->finish(sim, s);
	if (!s->policy)
		s->donor = *(struct donor_sim *)sim_policy_data(sim);
	s->hash = hash.value;
	metrics_free(metrics);
	properties_free(properties);
}

void scenario_run(struct scenario *s)
{
	struct sim_machine *machine;
	char *message = NULL;
	struct sim *sim;

	if (machine_load(s->machine, &machine, &message) < 0)
		fail_msg("%s", message);
	assert_int_equal(sim_new(
				 &(struct sim_options){
					 .topology = &machine->topology,
					 .machine = machine,
					 .policy = s->policy ?: &policy_donor,
					 .params = s->params,
					 .seed = s->seed,
					 .hz = 1000,
					 .no_smt_sharing = s->no_smt_sharing,
					 .interleave = s->interleave,
					 .blind = s->blind,
					 .watchdog_ns = 10000000000,
				 },
				 &sim),
			 0);
	observe_and_run(s, sim);
	sim_free(sim);
	machine_free(machine);
}

static bool core_is_free(struct sim *sim, const struct sim_machine *machine, __u32 cpu)
{
	__u32 i = cpu;

	do {
		if (!cpu_is_idle(sim, (__s32)i))
			return false;
		i = machine->topology.cpus[i].sibling;
	} while (i != cpu);
	return true;
}

unsigned scenario_nr_crowded(struct sim *sim)
{
	const struct sim_machine *machine = sim_machine(sim);
	unsigned nr_crowded = 0;
	bool any_free = false;

	for (__u32 cpu = 0; cpu < machine->topology.nr_cpus; cpu++) {
		any_free |= core_is_free(sim, machine, cpu);
		nr_crowded += !cpu_is_idle(sim, (__s32)cpu) &&
			      machine->topology.cpus[cpu].sibling != cpu &&
			      !cpu_is_idle(sim, machine->topology.cpus[cpu].sibling);
	}
	return any_free ? nr_crowded : 0;
}

double scenario_cpu_s(struct sim *sim, const char *name)
{
	__u64 sum_ns = 0;

	for (struct sim_task *p = NULL; (p = sim_next_task(sim, p));)
		if (!strcmp(task_spec(p)->name, name))
			sum_ns += task_view(p)->sum_exec_ns;
	return (double)sum_ns / 1e9;
}
