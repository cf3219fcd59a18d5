/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"

/* Programs of tests: a list of steps, done `nr_rounds` times (0: for ever). */
struct test_program {
	__u32 nr_steps, nr_rounds;
	__u32 next, round; /* of a task that is alone with this program */
	struct step steps[];
};

static inline struct step test_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct test_program *program = data;

	if (program->next == program->nr_steps) {
		program->next = 0;
		program->round++;
	}
	if (program->nr_rounds && program->round >= program->nr_rounds)
		return (struct step){ STEP_EXIT };
	return program->steps[program->next++];
}

static const struct program_ops test_ops = { .next = test_next, .free = free };

#define TEST_STEPS(...) ((const struct step[]){ __VA_ARGS__ })
#define RUN_MS(ms) { STEP_RUN, .work_ns = (ms) * 1000000ULL }
#define SLEEP_UNTIL_MS(ms) { STEP_SLEEP, .until_ns = (ms) * 1000000ULL }
#define BLOCK { STEP_BLOCK }

#define TEST_PROGRAM(rounds, ...)                                                                  \
	test_program((rounds), TEST_STEPS(__VA_ARGS__),                                            \
		     sizeof(TEST_STEPS(__VA_ARGS__)) / sizeof(struct step))

static inline struct test_program *test_program(__u32 nr_rounds, const struct step *steps,
						__u32 nr_steps)
{
	struct test_program *program = calloc(1, sizeof(*program) + nr_steps * sizeof(*steps));

	program->nr_steps = nr_steps;
	program->nr_rounds = nr_rounds;
	memcpy(program->steps, steps, nr_steps * sizeof(*steps));
	return program;
}

static inline struct task_spec test_spec(const char *name, struct test_program *program)
{
	return (struct task_spec){
		.name = name,
		.program = &test_ops,
		.data = program,
		.smt_share = 1024,
		.bind_index = -1,
		.born_on = -1,
	};
}

static inline struct sim_task *test_spawn(struct sim *sim, const char *name,
					  struct test_program *program)
{
	struct task_spec spec = test_spec(name, program);

	return sim_spawn(sim, NULL, &spec);
}
