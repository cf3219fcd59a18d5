/* SPDX-License-Identifier: GPL-2.0-only */

#include <math.h>

#include "tests/sim/test-run.h"

/*
 * What queueing theory knows in closed form. Jobs are long, so that the costs of the kernel are
 * nothing beside them, and many, so that chance is small.
 */

enum {
	NR_JOBS = 1000000,
	NR_TASKS = 500,
};
static const double SERVICE_NS = 2e9;

struct job {
	struct queueing *queueing;
	struct job *next; /* that has nothing to do either */
	struct sim_task *task;
	double woken_ns;
	bool begun;
};

/* Jobs arrive as wakeups of tasks that have nothing to do. */
struct queueing {
	double arrival_ns; /* mean time between two */
	double waited_ns, service_ns, last_arrival_ns;
	__u32 nr_left;
	struct job jobs[NR_TASKS], *free;
};

static double exponential(struct sim *sim, double mean)
{
	return -mean * log1p(-(double)(sim_random(sim, RANDOM_PROGRAM) >> 11) * 0x1p-53);
}

static struct step job_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct job *job = data;
	double work_ns;

	job->begun = !job->begun;
	if (job->begun && job->woken_ns) {
		work_ns = exponential(sim, SERVICE_NS);
		job->queueing->service_ns += work_ns;
		return (struct step){ STEP_RUN, .work_ns = work_ns };
	}
	job->begun = false;
	job->next = job->queueing->free;
	job->queueing->free = job;
	return (struct step){ STEP_BLOCK };
}

static const struct program_ops job_ops = { .next = job_next };

static void spawn_jobs(struct sim *sim, struct queueing *queueing)
{
	struct task_spec spec = { .name = "job", .program = &job_ops, .born_on = -1 };

	for (__u32 i = 0; i < NR_TASKS; i++) {
		queueing->jobs[i].queueing = queueing;
		spec.data = &queueing->jobs[i];
		queueing->jobs[i].task = sim_spawn(sim, NULL, &spec);
	}
}

static void arrive(struct sim *sim, void *data)
{
	struct queueing *queueing = data;
	struct job *job = queueing->free;

	assert_non_null(job); /* so many at once do not happen */
	queueing->free = job->next;
	job->woken_ns = sim_now_ns(sim);
	sim_wake(sim, job->task, NULL, 0);
	queueing->last_arrival_ns = sim_now_ns(sim);
	if (--queueing->nr_left)
		sim_at(sim, sim_now_ns(sim) + exponential(sim, queueing->arrival_ns), arrive, data);
}

static void see_wait(struct sim *sim, const struct sim_event *event, void *data)
{
	struct queueing *queueing = data;
	const struct job *job;

	if (event->kind != EVENT_RUN)
		return;
	job = task_spec(event->task)->data;
	if (job->woken_ns)
		queueing->waited_ns += sim_now_ns(sim) - job->woken_ns;
}

static void to_the_end(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, p, TEST_DSQ, ~0ULL, 0); /* first come first served: no slices */
}

static __s32 select_fcfs(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	__s32 cpu = kernel_pick_idle_cpu(sim, task_allowed(p), false);

	if (cpu >= 0)
		kernel_insert(sim, p, SIM_DSQ_LOCAL, ~0ULL, 0);
	return cpu < 0 ? prev : cpu;
}

/* Erlang's C: the probability to wait, from his B, by recursion. */
static double erlang_wait(__u32 k, double load)
{
	double a = k * load, b = 1;

	for (__u32 i = 1; i <= k; i++)
		b = a * b / (i + a * b);
	return b / (1 - load * (1 - b)) / (k * (1 - load));
}

/* Mean wait over what theory says for the load that chance made of `load`. */
static double wait_ratio(__u32 nr_cpus, double load)
{
	static const struct sim_policy policy = { FIFO_POLICY, .select_cpu = select_fcfs,
						  .enqueue = to_the_end };
	static struct queueing queueing;
	_cleanup_(test_endp) struct test_run *run = test_run(&policy, 1, nr_cpus, 1);
	__u64 begin_ns = SERVICE_NS; /* all have blocked by then */

	queueing =
		(struct queueing){ .arrival_ns = SERVICE_NS / load / nr_cpus, .nr_left = NR_JOBS };
	run->options.hz = 1;
	run->options.watchdog_ns = 0;
	test_begin(run);
	sim_observe(run->sim, see_wait, &queueing);
	spawn_jobs(run->sim, &queueing);
	sim_at(run->sim, begin_ns, arrive, &queueing);
	assert_int_equal(sim_run(run->sim, 0), -EDEADLK); /* all wait for more */
	load = queueing.service_ns / nr_cpus / (queueing.last_arrival_ns - begin_ns);
	print_message("# %u CPUs, load %.4f: wait %.4f, theory %.4f\n", nr_cpus, load,
		      queueing.waited_ns / queueing.service_ns, erlang_wait(nr_cpus, load));
	return queueing.waited_ns / queueing.service_ns / erlang_wait(nr_cpus, load);
}

static void mm1_waits(void **state)
{
	assert_float_equal(erlang_wait(1, 0.5), 1.0, 1e-9);
	assert_float_equal(wait_ratio(1, 0.5), 1.0, 0.01);
	assert_float_equal(wait_ratio(1, 0.7), 1.0, 0.01);
}

static void mmk_waits(void **state)
{
	assert_float_equal(wait_ratio(2, 0.6), 1.0, 0.01);
	assert_float_equal(wait_ratio(4, 0.7), 1.0, 0.01);
	assert_float_equal(wait_ratio(8, 0.7), 1.0, 0.02);
}

/* Equal jobs that share by slices: nobody can be done before total / CPUs (McNaughton). */
static void makespan(__u32 nr_tasks, __u32 nr_cpus)
{
	static const struct sim_policy policy = { FIFO_POLICY };
	_cleanup_(test_endp) struct test_run *run = test_run(&policy, 1, nr_cpus, 1);

	test_begin(run);
	for (__u32 i = 0; i < nr_tasks; i++)
		test_spawn(run->sim, "job", TEST_PROGRAM(1, RUN_MS(10000)));
	assert_int_equal(sim_run(run->sim, 0), 0);
	assert_float_equal(sim_now_ns(run->sim) * (double)nr_cpus / nr_tasks / (10000.0 * MS), 1.0,
			   0.005);
}

static void mcnaughton_makespan(void **state)
{
	makespan(5, 4);
	makespan(7, 3);
	makespan(64, 8);
	makespan(3, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mm1_waits),
		cmocka_unit_test(mmk_waits),
		cmocka_unit_test(mcnaughton_makespan),
	};

	return cmocka_run_group_tests_name("kernel theory", tests, NULL, NULL);
}
