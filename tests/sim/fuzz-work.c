/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>

#include "tests/sim/fuzz.h"

/* What the tasks do. */

#define MS 1000000ULL

enum fuzz_kind {
	WORK_HOG,
	WORK_SLEEPER,
	WORK_PERIODIC,
	WORK_PAIR,
	WORK_FORKER,
	WORK_YIELDER,
	WORK_RT,
	_WORK_MAX,
};

struct program {
	struct fuzz *fuzz;
	enum fuzz_kind kind;
	__u64 work_ns, sleep_ns, until_ns;
	struct sim_task *peer;
	__u64 wake_flags;
	__u32 nr_children;
	bool ran, is_child;
};

static struct sim_task *spawn(struct fuzz *fuzz, struct sim_task *parent, struct task_spec spec,
			      struct program program);

static void fork_child(struct sim_task *task, struct program *program)
{
	struct program child = {
		.fuzz = program->fuzz,
		.kind = WORK_HOG,
		.work_ns = program->work_ns,
		.is_child = true,
	};

	if (!program->nr_children || program->fuzz->nr_forks >= FUZZ_MAX_FORKS)
		return;
	program->nr_children--;
	program->fuzz->nr_forks++;
	spawn(program->fuzz, task, *task_spec(task), child);
}

static struct step rest(struct sim *sim, struct sim_task *task, struct program *program)
{
	switch (program->kind) {
	case WORK_PAIR:
		sim_wake(sim, program->peer, task, program->wake_flags);
		return (struct step){ STEP_BLOCK };
	case WORK_YIELDER:
		return (struct step){ STEP_YIELD };
	case WORK_PERIODIC:
		program->until_ns += program->sleep_ns;
		return (struct step){ STEP_SLEEP, .until_ns = program->until_ns };
	case WORK_FORKER:
		fork_child(task, program);
		break;
	default:
		break;
	}
	return (struct step){ STEP_SLEEP, .until_ns = sim_now_ns(sim) + program->sleep_ns };
}

static struct step next(struct sim *sim, struct sim_task *task, void *data)
{
	struct program *program = data;

	program->ran = !program->ran;
	if (program->ran)
		return (struct step){ STEP_RUN, .work_ns = program->work_ns };
	if (program->is_child)
		return (struct step){ STEP_EXIT };
	return rest(sim, task, program);
}

static const struct program_ops ops = { .next = next, .free = free };

static struct sim_task *spawn(struct fuzz *fuzz, struct sim_task *parent, struct task_spec spec,
			      struct program program)
{
	struct program *data = malloc(sizeof(*data));

	if (!data)
		abort();
	*data = program;
	spec.program = &ops;
	spec.data = data;
	fuzz->nr_tasks++;
	return sim_spawn(fuzz->sim, parent, &spec);
}

static struct program draw_program(struct fuzz *fuzz)
{
	static const __u64 least_ns = 5000;
	struct program program = { .fuzz = fuzz, .kind = fuzz_draw(&fuzz->input, _WORK_MAX) };

	program.work_ns = fuzz_draw_between(&fuzz->input, least_ns, 50 * MS);
	program.sleep_ns = fuzz_draw_between(&fuzz->input, least_ns, 50 * MS);
	if (program.kind == WORK_RT && (fuzz->promises.conserves || fuzz->promises.bounded))
		program.kind = WORK_SLEEPER; /* who takes a CPU away breaks what we promise */
	if (program.kind == WORK_RT) /* as the kernel limits them */
		program.sleep_ns += program.work_ns / 8;
	if (program.kind == WORK_HOG)
		program.work_ns = 1000000 * MS;
	program.nr_children = 8;
	return program;
}

static struct task_spec draw_spec(struct fuzz *fuzz, const struct program *program)
{
	static const char *const names[] = { "hog",    "sleeper", "periodic", "pair",
					     "forker", "yielder", "rt" };
	__u32 bits = fuzz_draw(&fuzz->input, 256);
	struct task_spec spec = {
		.name = names[program->kind],
		.sched_class = program->kind == WORK_RT ? CLASS_RT : CLASS_FAIR,
		.smt_share = 614,
		.footprint_kb = bits & 1 ? 512 : 0,
		.bind_index = -1,
		.kthread = (bits & 6) == 6,
		.background = true,
		.born_on = bits & 8 ? 0 : -1,
	};

	if ((bits & 0x30) == 0x30)
		spec.nice = (__s32)fuzz_draw(&fuzz->input, 40) - 20;
	if (fuzz->promises.bounded)
		spec.nice = 0;
	if ((bits & 0xc0) != 0xc0)
		return spec;
	spec.restricted = true;
	spec.allowed = fuzz_mask(&fuzz->input, fuzz->machine);
	if (fuzz->promises.conserves) /* where a restricted one waits is not where all look */
		spec.restricted = CPU_COUNT(&spec.allowed) == 1;
	return spec;
}

static void spawn_pair(struct fuzz *fuzz, const struct task_spec *spec, struct program program)
{
	struct program *first;
	struct sim_task *a;

	program.wake_flags = program.sleep_ns % 2 ? SIM_WAKE_SYNC : 0;
	a = spawn(fuzz, NULL, *spec, program);
	first = task_spec(a)->data;
	program.peer = a;
	first->peer = spawn(fuzz, NULL, *spec, program);
}

void fuzz_work(struct fuzz *fuzz)
{
	__u32 nr_groups = 1 + fuzz_draw(&fuzz->input, 8);

	while (nr_groups--) {
		struct program program = draw_program(fuzz);
		struct task_spec spec = draw_spec(fuzz, &program);
		__u32 nr = 1 + fuzz_draw(&fuzz->input, 12);

		while (nr-- && fuzz->nr_tasks < FUZZ_MAX_TASKS)
			if (program.kind == WORK_PAIR)
				spawn_pair(fuzz, &spec, program);
			else
				spawn(fuzz, NULL, spec, program);
	}
}
