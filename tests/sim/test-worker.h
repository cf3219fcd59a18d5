/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdlib.h>

#include "tests/sim/sim.h"

/* A worker that waits 30 us now and then, as one does that asks for its next piece. */
struct worker {
	__u64 work_ns, pause_ns;
	__u32 nr_rounds;
	bool paused;
};

static inline struct step worker_next(struct sim *sim, struct sim_task *task, void *data)
{
	struct worker *worker = data;

	worker->paused = !worker->paused;
	if (!worker->paused)
		return (struct step){ .kind = STEP_SLEEP,
				      .until_ns = sim_now_ns(sim) + worker->pause_ns };
	if (!worker->nr_rounds--)
		return (struct step){ .kind = STEP_EXIT };
	return (struct step){ .kind = STEP_RUN, .work_ns = worker->work_ns };
}

static const struct program_ops worker_ops = { .next = worker_next, .free = free };

static inline struct task_spec worker_spec(const char *name, __u64 work_us, __u64 pause_us, __u32 nr)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	*worker = (struct worker){ work_us * 1000, pause_us * 1000, nr, false };
	return (struct task_spec){ .name = name,
				   .program = &worker_ops,
				   .data = worker,
				   .smt_share = 600,
				   .bind_index = -1 };
}

static inline void start_workers(struct sim *sim, struct sim_task *parent, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		struct task_spec spec = worker_spec("worker", 4000, 30, 50);

		spec.bind_index = (__s32)i;
		sim_spawn(sim, parent, &spec);
	}
}
