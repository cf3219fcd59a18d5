/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

/*
 * Costs of the kernel and the hardware, in ns. "icount": instructions counted in QEMU at one per
 * cycle and 4 GHz. "assumed": nobody measured it for us, and results must not hang on it.
 */
enum {
	COST_SWITCH_NS =
		1000, /* direct cost of a context switch, about 5000 instructions: icount */
	COST_WAKEUP_NS = 600, /* try_to_wake_up() with select_cpu and enqueue: icount */
	COST_MOVE_LOCAL_NS = 600, /* task of this run queue taken from a queue: scx PR #2912 */
	COST_MOVE_REMOTE_NS = 2200, /* task of another run queue: scx PR #2912 */
	COST_TICK_NS = 500, /* assumed */
	COST_YIELD_NS = 500, /* sched_yield() with nobody else there: assumed */
	COST_LOCK_NS = 60, /* shared queue, nobody else there: fitted to scx issue #998 */
	COST_CONTENDER_NS = 120, /* each other CPU at its lock: fitted to scx issue #998 */
	LOCK_WINDOW_NS = 2000, /* who used a lock so recently contends for it: assumed */

	LATENCY_IPI_NS = 1000, /* interrupt to another CPU: assumed, 0.5 to 1 us are seen */
	LATENCY_SELF_NS = 600, /* to itself, by irq_work, behind deferred inserts: assumed */
	LATENCY_DEFERRED_NS = 300, /* irq_work or balance callback after the lock: assumed */

	IDLE_SHALLOW_NS = 200 * 1000, /* idle for less: still in the first state: assumed */
	IDLE_MEDIUM_NS = 2000 * 1000, /* and in the second: assumed */
	EXIT_SHALLOW_NS = 2 * 1000, /* C1: assumed, 2 to 3 us to run are seen */
	EXIT_MEDIUM_NS = 20 * 1000, /* assumed */
	EXIT_DEEP_NS = 100 * 1000, /* assumed, 50 to 170 us are reported */
	IDLE_COLD_NS = 1000 * 1000, /* idle for longer loses the clock: Nest, EuroSys'22 */
	COST_COLD_NS = 40 * 1000, /* 4 % of a ramp of 1 ms: Nest says 3 to 5 % */

	REFILL_CACHE_NS = 10 * 1000, /* to another core of the same cache: scxsim, PR #3352 */
	REFILL_CACHE_PS_PER_KB = 50 * 1000, /* from the shared cache: assumed */
	REFILL_NODE_NS = 35 * 1000, /* to another cache, 25 us more: scxsim, PR #3352 */
	REFILL_NODE_PS_PER_KB = 150 * 1000, /* from memory: assumed */
	REFILL_REMOTE_PCT = 170, /* of that from another memory node: assumed */

	CLOCK_STEP_NS = 1000 * 1000, /* the clock follows the load within 1 ms: assumed */
	CLOCK_LEAST = 256, /* of 1024, lowest clock that cpuperf can ask for: assumed */

	/* How far other CPUs may get while one is in a callback, and how deep that may nest. */
	INTERLEAVE_WINDOW_NS = 2000, /* select_cpu and enqueue take 0.5 to 0.9 us: PR #2963 */
	INTERLEAVE_DEPTH = 4,
	INTERLEAVE_ONE_IN = 2, /* calls after which somebody else may act */

	ZERO_TIME_STEPS = 100000, /* a program that does so many without time passing hangs */
};

/* Kernels in the field leave an idle CPU asleep when a task is put into its local queue by another:
 * scx issues #2139 and #2943. */
static const bool REMOTE_INSERT_WAKES = false;
