/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/sim/metrics.h"
#include "tests/sim/policies.h"
#include "tests/sim/properties.h"
#include "tests/sim/test-machine.h"
#include "tests/sim/test-worker.h"
#include "tests/sim/trace-hash.h"

/* Two domains of two cores of two threads; each policy does there what it is named after. */

struct run {
	const struct sim_policy *policy;
	__u32 nr_domains; /* 0: two */
	bool interleave;
	void (*start)(struct sim *sim);
	__u64 until_ns; /* 0: until all have ended */
	__u64 far_grace_ns;
	struct metrics_result result;
	struct trace_hash hash;
};

static void observe_and_run(struct run *run, struct sim *sim)
{
	const struct properties_options options = { .wait_bound_ns = 2000000000,
						    .far_grace_ns = run->far_grace_ns,
						    .grace_ns = run->far_grace_ns,
						    .every = 1 };
	struct properties *properties;
	struct metrics *metrics;
	int err;

	assert_int_equal(metrics_new(sim, &metrics), 0);
	assert_int_equal(properties_new(sim, &options, &properties), 0);
	trace_hash_observe(sim, &run->hash);
	run->start(sim);
	err = sim_run(sim, run->until_ns);
	if (sim_error(sim))
		fail_msg("%s: %s", run->policy->name, sim_error(sim));
	assert_int_equal(err, run->until_ns ? -ETIMEDOUT : 0);
	metrics_finish(metrics, &run->result);
	metrics_free(metrics);
	properties_free(properties);
}

static void make_neighbours(struct donor_topology *t)
{
	for (__u32 d = 0; d < t->nr_domains; d++) {
		struct donor_domain_topology *domain = &t->domains[d];

		for (__u32 i = 0; i + 1 < t->nr_domains; i++)
			domain->neighbours[i] = (__u8)((d + 1 + i) % t->nr_domains);
		domain->distance_end[DONOR_DISTANCE_NODE] = (__u16)(t->nr_domains - 1);
		domain->distance_end[DONOR_DISTANCE_REMOTE] = (__u16)(t->nr_domains - 1);
	}
}

static void run_it(struct run *run)
{
	static struct sim_machine machine;
	struct sim_options options = { .topology = &machine.topology,
				       .machine = &machine,
				       .policy = run->policy,
				       .seed = 7,
				       .hz = 1000,
				       .interleave = run->interleave,
				       .watchdog_ns = 5000000000 };
	struct sim *sim;

	test_machine(&machine, run->nr_domains ?: 2, 2, 2);
	make_neighbours(&machine.topology);
	assert_int_equal(sim_new(&options, &sim), 0);
	observe_and_run(run, sim);
	sim_free(sim);
}

static void four_workers(struct sim *sim)
{
	start_workers(sim, NULL, 4);
}

static void mixture(struct sim *sim)
{
	struct task_spec spec;

	start_workers(sim, NULL, 12);
	for (unsigned i = 0; i < 6; i++) {
		spec = worker_spec("short", 200, 1000, 100);
		spec.nice = (__s32)i * 3 - 9;
		sim_spawn(sim, NULL, &spec);
	}
	spec = worker_spec("confined", 1000, 500, 0);
	((struct worker *)spec.data)->nr_rounds = ~0U;
	spec.background = spec.restricted = true;
	CPU_SET(0, &spec.allowed);
	CPU_SET(1, &spec.allowed);
	sim_spawn(sim, NULL, &spec);
	spec = worker_spec("bound", 300, 700, 100);
	spec.restricted = true;
	CPU_SET(3, &spec.allowed);
	sim_spawn(sim, NULL, &spec);
	spec = worker_spec("rt", 500, 3000, 50);
	spec.sched_class = CLASS_RT;
	sim_spawn(sim, NULL, &spec);
}

static void take_away(struct sim *sim, void *data)
{
	sim_set_online(sim, 5, false);
}

static void bring_back(struct sim *sim, void *data)
{
	sim_set_online(sim, 5, true);
}

static void mixture_with_hotplug(struct sim *sim)
{
	mixture(sim);
	for (__u64 i = 1; i < 20; i++) {
		sim_at(sim, i * 10000000, take_away, NULL);
		sim_at(sim, i * 10000000 + 5000000, bring_back, NULL);
	}
}

static void with_each(struct run run)
{
	for (unsigned i = 0; policies[i]; i++)
		for (unsigned interleave = 0; interleave < 2; interleave++) {
			run.policy = policies[i];
			run.interleave = interleave;
			run_it(&run);
		}
}

static void all_finish_a_mixture(void **state)
{
	with_each((struct run){ .start = mixture });
}

static void all_survive_hotplug(void **state)
{
	with_each((struct run){ .start = mixture_with_hotplug });
}

static void all_repeat_themselves(void **state)
{
	for (unsigned i = 0; policies[i]; i++) {
		struct run a = { .policy = policies[i], .interleave = true, .start = mixture };
		struct run b = a;

		run_it(&a);
		run_it(&b);
		assert_true(a.hash.nr_events > 1000);
		assert_int_equal(a.hash.value, b.hash.value);
	}
}

static struct metrics_result four_workers_by(const struct sim_policy *policy)
{
	struct run run = { .policy = policy, .start = four_workers };

	run_it(&run);
	return run.result;
}

static void pinned_has_a_core_for_each(void **state)
{
	struct metrics_result r = four_workers_by(&policy_pinned);

	assert_true(r.shared_core_time < 0.001);
	assert_true(r.migrations_core + r.migrations_cache + r.migrations_node < 1e-9);
}

static void three_workers_beside_a_confined_one(struct sim *sim)
{
	struct task_spec spec = worker_spec("confined", 1000, 0, ~0U);

	start_workers(sim, NULL, 3);
	spec.background = spec.restricted = true;
	CPU_SET(2, &spec.allowed);
	CPU_SET(3, &spec.allowed);
	sim_spawn(sim, NULL, &spec);
}

static void pinned_keeps_off_contested_cores(void **state)
{
	struct run run = { .policy = &policy_pinned, .start = three_workers_beside_a_confined_one };

	run_it(&run);
	assert_true(run.result.shared_core_time < 0.001);
}

static void idle_core_first_shares_none(void **state)
{
	struct metrics_result r = four_workers_by(&policy_idle_core_first);

	assert_true(r.shared_core_time < 0.01);
}

static void sticky_shares_at_home(void **state)
{
	struct metrics_result r = four_workers_by(&policy_sticky);

	assert_true(r.shared_core_waste > 0.95);
	assert_true(r.migrations_node < 1e-9);
}

static void free_workers(struct sim *sim, void *data)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (unsigned cpu = 0; cpu < sim_topology(sim)->nr_cpus; cpu++)
		CPU_SET(cpu, &all);
	for (struct sim_task *p = sim_next_task(sim, NULL); p; p = sim_next_task(sim, p))
		if (!task_spec(p)->background && !task_view(p)->exiting)
			sim_set_allowed(sim, p, &all);
}

/* At home in the first domain, and then free to leave it. */
static void four_neighbours(struct sim *sim)
{
	for (unsigned i = 0; i < 4; i++) {
		struct task_spec spec = worker_spec("worker", 4000, 30, 50);

		spec.restricted = true;
		for (unsigned cpu = 0; cpu < 4; cpu++)
			CPU_SET(cpu, &spec.allowed);
		sim_spawn(sim, NULL, &spec);
	}
	sim_at(sim, 5000000, free_workers, NULL);
}

static void lavd_before_shares_at_home(void **state)
{
	struct run run = { .policy = &policy_lavd_before, .start = four_neighbours };

	run_it(&run);
	assert_true(run.result.shared_core_waste > 0.9);
	assert_true(run.result.donations < 1e-9);
}

/* Forks four and ends. */
static struct step parent_next(struct sim *sim, struct sim_task *task, void *data)
{
	start_workers(sim, task, 4);
	return (struct step){ .kind = STEP_EXIT };
}

static const struct program_ops parent_ops = { .next = parent_next };

static void parent_of_four(struct sim *sim)
{
	const struct task_spec spec = {
		.name = "parent", .program = &parent_ops, .smt_share = 600, .bind_index = -1
	};

	sim_spawn(sim, NULL, &spec);
}

static void lavd_spreads_children(void **state)
{
	struct run run = { .policy = &policy_lavd_before, .start = parent_of_four };

	run_it(&run);
	assert_true(run.result.shared_core_time < 0.1);
}

/* It gives away only whoever finds its own CPU taken when it wakes: somebody has to take it. */
static void workers_and_a_disturber(struct sim *sim)
{
	struct task_spec spec = worker_spec("disturber", 200, 1300, ~0U);

	four_neighbours(sim);
	spec.background = spec.restricted = true;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		CPU_SET(cpu, &spec.allowed);
	sim_spawn(sim, NULL, &spec);
}

static void lavd_after_donates_step_by_step(void **state)
{
	struct run before = { .policy = &policy_lavd_before,
			      .start = workers_and_a_disturber,
			      .nr_domains = 4 };
	struct run after = { .policy = &policy_lavd_after,
			     .start = workers_and_a_disturber,
			     .nr_domains = 4 };

	run_it(&before);
	run_it(&after);
	assert_true(before.result.donations < 1e-9);
	assert_true(after.result.donations > 0);
	assert_true(after.result.donations <= 100); /* one per timer and pair of domains */
	assert_true(after.result.shared_core_waste < before.result.shared_core_waste * 0.7);
}

static void fair_spreads_at_fork(void **state)
{
	struct metrics_result r = four_workers_by(&policy_fair);

	assert_true(r.shared_core_time < 0.3);
}

static void hogs(struct sim *sim)
{
	for (unsigned i = 0; i < 20; i++) {
		struct task_spec spec = worker_spec("hog", 100000000, 0, ~0U);

		spec.nice = i % 2 ? 0 : 5;
		sim_spawn(sim, NULL, &spec);
	}
}

static double jain_of(const struct sim_policy *policy)
{
	struct run run = { .policy = policy, .start = hogs, .until_ns = 4000000000 };

	run_it(&run);
	return run.result.jain;
}

static void fair_ones_are_fair_by_weight(void **state)
{
	assert_true(jain_of(&policy_idle_core_first) > 0.99);
	assert_true(jain_of(&policy_fair) > 0.95);
	assert_true(jain_of(&policy_fifo) < 0.9); /* it knows no weights */
}

static void conserving_ones_leave_nothing_idle(void **state)
{
	struct run run = { .start = mixture, .far_grace_ns = 300000 };
	const struct sim_policy *const conserving[] = { &policy_idle_core_first, &policy_fifo };

	for (unsigned i = 0; i < 2; i++) {
		run.policy = conserving[i];
		run_it(&run);
	}
}

static void each_has_its_name(void **state)
{
	for (unsigned i = 0; policies[i]; i++)
		assert_ptr_equal(policy_find(policies[i]->name), policies[i]);
	assert_null(policy_find("none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_name),
		cmocka_unit_test(all_finish_a_mixture),
		cmocka_unit_test(all_survive_hotplug),
		cmocka_unit_test(all_repeat_themselves),
		cmocka_unit_test(pinned_has_a_core_for_each),
		cmocka_unit_test(pinned_keeps_off_contested_cores),
		cmocka_unit_test(idle_core_first_shares_none),
		cmocka_unit_test(sticky_shares_at_home),
		cmocka_unit_test(lavd_before_shares_at_home),
		cmocka_unit_test(lavd_spreads_children),
		cmocka_unit_test(lavd_after_donates_step_by_step),
		cmocka_unit_test(fair_spreads_at_fork),
		cmocka_unit_test(fair_ones_are_fair_by_weight),
		cmocka_unit_test(conserving_ones_leave_nothing_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
