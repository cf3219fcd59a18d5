/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/machine.h"
#include "tests/sim/sim.h"

/*
 * A run in which the test says what happens: two domains of two cores of two threads, CPUs 2n and
 * 2n + 1 share core n. For tests of observers; it stands in for the engine.
 */

struct sim *fake_new(void);
struct sim *fake_free(struct sim *sim); /* NULL, always */

/* `cpus`: bits of those that it may use; 0 is all. */
struct sim_task *fake_task(struct sim *sim, const char *name, __u64 cpus, bool background);
struct sim_task_view *fake_view(struct sim_task *task);
void fake_at(struct sim *sim, __u64 time_us); /* from now on it is that time */
void fake_see(struct sim *sim, const struct sim_event *event);

/* The usual events; they keep the state of tasks and CPUs as well. */
void fake_wake(struct sim *sim, struct sim_task *task);
void fake_insert(struct sim *sim, struct sim_task *task, __u64 dsq, __s32 cpu);
void fake_run(struct sim *sim, struct sim_task *task, __s32 cpu); /* ends the CPU's idleness */
void fake_stop(struct sim *sim, struct sim_task *task, bool runnable);
void fake_idle(struct sim *sim, __s32 cpu);
void fake_exit(struct sim *sim, struct sim_task *task);
void fake_step(struct sim *sim);

/* The idle mask and what is on its way. */
void fake_claim(struct sim *sim, __s32 cpu);
void fake_kick(struct sim *sim, __s32 cpu, bool pending);
void fake_online(struct sim *sim, __s32 cpu, bool online);
