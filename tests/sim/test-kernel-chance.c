/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/test-run.h"

/* The same seed gives the same run; and whatever chance brings, nothing gets lost. */

enum {
	NR_TASKS = 24,
	NR_CPUS = 8,
};

struct mix {
	__u64 hash;
	__u64 nr_nested; /* events of the heap that came while another was being carried out */
	__u64 nr_steps;
	struct sim_task *tasks[NR_TASKS];
	bool runnable[NR_TASKS + 1], running[NR_TASKS + 1]; /* as the policy was told, by pid */
};

static void stir(struct mix *mix, __u64 value)
{
	mix->hash = (mix->hash ^ value) * 0x100000001b3;
}

static void see_hash(struct sim *sim, const struct sim_event *event, void *data)
{
	stir(data, sim_now_ns(sim));
	stir(data, event->kind);
	stir(data, event->cpu);
	stir(data, event->task ? task_view(event->task)->pid : 0);
	stir(data, event->dsq);
}

static void wake_another(struct sim *sim, struct sim_task *task, struct mix *mix)
{
	sim_wake(sim, mix->tasks[sim_random(sim, RANDOM_PROGRAM) % NR_TASKS], task,
		 sim_random(sim, RANDOM_PROGRAM) % 2 ? SIM_WAKE_SYNC : 0);
}

static void change_another(struct sim *sim, struct mix *mix)
{
	struct sim_task *task = mix->tasks[sim_random(sim, RANDOM_PROGRAM) % NR_TASKS];
	cpu_set_t mask;

	CPU_ZERO(&mask);
	for (unsigned cpu = 0; cpu < NR_CPUS; cpu++)
		if (sim_random(sim, RANDOM_PROGRAM) % 2)
			CPU_SET(cpu, &mask);
	sim_set_allowed(sim, task, &mask);
	sim_set_nice(sim, task, sim_random(sim, RANDOM_PROGRAM) % 40 - 20);
}

static void something(struct sim *sim, struct sim_task *task, struct mix *mix)
{
	switch (sim_random(sim, RANDOM_PROGRAM) % 64) {
	case 0 ... 3:
		change_another(sim, mix);
		break;
	case 4:
		sim_set_online(sim, sim_random(sim, RANDOM_PROGRAM) % NR_CPUS,
			       sim_random(sim, RANDOM_PROGRAM) % 4);
		break;
	case 5 ... 40:
		wake_another(sim, task, mix);
	}
}

static struct step chance_next(struct sim *sim, struct sim_task *task, void *data)
{
	__u64 random = sim_random(sim, RANDOM_PROGRAM);

	something(sim, task, data);
	switch (random % 8) {
	case 0:
		return (struct step){ STEP_BLOCK };
	case 1:
		return (struct step){ STEP_SLEEP, .until_ns = sim_now_ns(sim) + random % (1 * MS) };
	case 2:
		return (struct step){ STEP_YIELD };
	case 3:
		return (struct step){ STEP_RUN, .work_ns = random % (MS / 2) };
	default:
		return (struct step){ STEP_RUN, .work_ns = random % 20000 };
	}
}

static const struct program_ops chance_ops = { .next = chance_next };

static void spawn_all(struct sim *sim, struct mix *mix)
{
	struct task_spec spec = { .name = "chance",
				  .program = &chance_ops,
				  .data = mix,
				  .smt_share = 614,
				  .footprint_kb = 100,
				  .born_on = -1 };

	for (unsigned i = 0; i < NR_TASKS; i++) {
		spec.sched_class = i % 8 ? CLASS_FAIR : CLASS_RT;
		mix->tasks[i] = sim_spawn(sim, NULL, &spec);
	}
	spec.sched_class = CLASS_FAIR;
}

/* Each task in one state, and in one place. */
static void check_task(struct sim *sim, struct sim_task *task, __u32 *nr_running)
{
	const struct sim_task_view *view = task_view(task);

	if (view->running) {
		assert_true(view->queued);
		assert_true(cpu_is_online(sim, view->cpu));
		assert_false(cpu_is_idle(sim, view->cpu));
		if (view->sched_class == CLASS_FAIR)
			assert_ptr_equal(kernel_cpu_curr(sim, view->cpu), task);
		nr_running[view->cpu]++;
	}
}

/* No idle CPU has lost its bit, unless somebody is about to wake it. */
static void check_cpu(struct sim *sim, __s32 cpu, __u32 nr_running)
{
	if (!cpu_is_online(sim, cpu)) {
		assert_false(kernel_test_idle(sim, cpu) || nr_running || cpu_nr_local(sim, cpu));
	} else if (cpu_is_idle(sim, cpu)) {
		assert_int_equal(nr_running, 0);
		assert_true(kernel_test_idle(sim, cpu) || cpu_kick_pending(sim, cpu));
		assert_true(!cpu_nr_local(sim, cpu) || cpu_kick_pending(sim, cpu));
	} else {
		assert_int_equal(nr_running, 1);
		assert_false(kernel_test_idle(sim, cpu));
	}
}

/* Who waits is in one queue, or on the way to one. */
static void check_places(struct sim *sim, const struct mix *mix)
{
	__u32 nr_waiting = 0, nr_queued, nr_pending = 0;
	const struct sim_task_view *view;

	nr_queued = kernel_nr_queued(sim, TEST_DSQ) + kernel_nr_queued(sim, SIM_DSQ_GLOBAL);
	for (__s32 cpu = 0; cpu < NR_CPUS; cpu++) {
		nr_queued += cpu_nr_local(sim, cpu);
		nr_pending += cpu_kick_pending(sim, cpu);
	}
	for (unsigned i = 0; i < NR_TASKS; i++) {
		view = task_view(mix->tasks[i]);
		nr_waiting += view->queued && !view->running && view->sched_class == CLASS_FAIR;
	}
	assert_true(nr_queued == nr_waiting || (nr_queued < nr_waiting && nr_pending));
}

static void see_check(struct sim *sim, const struct sim_event *event, void *data)
{
	struct mix *mix = data;
	__u32 nr_running[NR_CPUS] = {};

	if (event->kind != EVENT_STEP)
		return;
	mix->nr_steps++;
	if (sim_error(sim))
		return;
	for (unsigned i = 0; i < NR_TASKS; i++)
		check_task(sim, mix->tasks[i], nr_running);
	for (__s32 cpu = 0; cpu < NR_CPUS; cpu++)
		check_cpu(sim, cpu, nr_running[cpu]);
	check_places(sim, mix);
}

/* As a careful policy does it: claim, insert there, kick. */
static void claim_and_kick(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	__s32 cpu = kernel_pick_idle_cpu(sim, task_allowed(p), false);

	if (cpu < 0 && task_view(p)->pid % 3 && !(enq_flags & SIM_ENQ_LAST)) {
		kernel_insert(sim, p, SIM_DSQ_LOCAL, 1 * MS, enq_flags); /* behind who runs there */
		return;
	}
	if (cpu < 0) {
		fifo_enqueue(sim, p, enq_flags);
		return;
	}
	if (task_view(p)->pid % 2)
		kernel_insert(sim, p, SIM_DSQ_LOCAL_ON | cpu, 1 * MS, enq_flags);
	else
		kernel_insert(sim, p, TEST_DSQ, 1 * MS, enq_flags);
	kernel_kick_cpu(sim, cpu, SIM_KICK_IDLE);
}

/* Nobody is selected for while it still has a CPU. */
static __s32 select_off_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	for (__s32 cpu = 0; cpu < NR_CPUS; cpu++)
		assert_ptr_not_equal(kernel_cpu_curr(sim, cpu), p);
	return fifo_select_cpu(sim, p, prev, wake_flags);
}

static void pair_runnable(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	struct mix *mix = sim_policy_data(sim);

	kernel_nr_queued(sim, TEST_DSQ); /* others may act */
	assert_false(mix->runnable[task_view(p)->pid]);
	mix->runnable[task_view(p)->pid] = true;
}

static void pair_running(struct sim *sim, struct sim_task *p)
{
	struct mix *mix = sim_policy_data(sim);

	kernel_nr_queued(sim, TEST_DSQ);
	assert_true(mix->runnable[task_view(p)->pid]);
	assert_false(mix->running[task_view(p)->pid]);
	mix->running[task_view(p)->pid] = true;
}

static void pair_stopping(struct sim *sim, struct sim_task *p, bool runnable)
{
	struct mix *mix = sim_policy_data(sim);

	kernel_nr_queued(sim, TEST_DSQ);
	assert_true(mix->running[task_view(p)->pid]);
	mix->running[task_view(p)->pid] = false;
}

static void pair_quiescent(struct sim *sim, struct sim_task *p, __u64 deq_flags)
{
	struct mix *mix = sim_policy_data(sim);

	kernel_nr_queued(sim, TEST_DSQ);
	assert_true(mix->runnable[task_view(p)->pid]);
	assert_false(mix->running[task_view(p)->pid]);
	mix->runnable[task_view(p)->pid] = false;
}

static void looks_idle(struct sim *sim, __s32 cpu, bool idle)
{
	kernel_nr_queued(sim, TEST_DSQ);
}

static void looks_at_tick(struct sim *sim, struct sim_task *p)
{
	kernel_nr_queued(sim, TEST_DSQ);
}

static const struct sim_policy policy_careful = {
	FIFO_POLICY,
	.select_cpu = select_off_cpu,
	.enqueue = claim_and_kick,
	.runnable = pair_runnable,
	.running = pair_running,
	.stopping = pair_stopping,
	.quiescent = pair_quiescent,
	.update_idle = looks_idle,
	.tick = looks_at_tick,
	.ops_flags = SIM_OPS_ENQ_LAST,
};

static struct mix run_mix(__u64 seed, bool interleave)
{
	_cleanup_(test_endp) struct test_run *run =
		test_run(&policy_careful, 2, 2, 2);
	struct mix mix = {};

	run->options.seed = seed;
	run->options.interleave = interleave;
	test_begin(run);
	sim_set_policy_data(run->sim, &mix);
	sim_observe(run->sim, see_hash, &mix);
	sim_observe(run->sim, see_check, &mix);
	spawn_all(run->sim, &mix);
	assert_int_equal(sim_run(run->sim, 300ULL * MS), -ETIMEDOUT);
	mix.nr_nested = sim_nr_events(run->sim) - mix.nr_steps;
	return mix;
}

static void same_seed_same_run(void **state)
{
	assert_true(run_mix(5, false).hash == run_mix(5, false).hash);
	assert_true(run_mix(5, true).hash == run_mix(5, true).hash);
	assert_true(run_mix(5, false).hash != run_mix(6, false).hash);
	assert_true(run_mix(5, false).hash != run_mix(5, true).hash);
}

static void callbacks_interleave(void **state)
{
	struct mix alone = run_mix(7, false), mixed = run_mix(7, true);

	print_message("# %llu of %llu events inside of others\n", mixed.nr_nested,
		      mixed.nr_nested + mixed.nr_steps);
	assert_int_equal(alone.nr_nested, 0);
	assert_true(mixed.nr_nested > mixed.nr_steps / 1000);
}

static void nothing_gets_lost(void **state)
{
	for (__u64 seed = 100; seed < 120; seed++)
		run_mix(seed, seed % 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_seed_same_run),
		cmocka_unit_test(callbacks_interleave),
		cmocka_unit_test(nothing_gets_lost),
	};

	return cmocka_run_group_tests_name("kernel chance", tests, NULL, NULL);
}
