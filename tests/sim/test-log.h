/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/test-policy.h"

/* Which callbacks came, as text: the policy data of the run is the log. */
struct test_log {
	char text[8192];
	__u32 used;
	bool off;
};

static inline void __attribute__((format(printf, 2, 3))) log_add(struct sim *sim,
								 const char *format, ...)
{
	struct test_log *log = sim_policy_data(sim);
	va_list args;

	if (log->off || log->used > sizeof(log->text) - 64)
		return;
	if (log->used)
		log->text[log->used++] = ' ';
	va_start(args, format);
	log->used += vsnprintf(log->text + log->used, 64, format, args);
	va_end(args);
}

static inline const char *log_take(struct sim *sim)
{
	struct test_log *log = sim_policy_data(sim);

	log->text[log->used] = '\0';
	log->used = 0;
	return log->text;
}

static inline __s32 log_select_cpu(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	log_add(sim, wake_flags & SIM_WAKE_FORK ? "fork" : "select");
	return fifo_select_cpu(sim, p, prev, wake_flags);
}

static inline const char *log_flags(__u64 enq_flags)
{
	return enq_flags & SIM_ENQ_LAST ? "last" : enq_flags & SIM_ENQ_WAKEUP ? "wakeup" : "";
}

static inline void log_enqueue(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	log_add(sim, "enqueue(%s)", log_flags(enq_flags));
	fifo_enqueue(sim, p, enq_flags);
}

static inline void log_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev)
{
	log_add(sim, "dispatch(%s)", !prev ? "" : task_view(prev)->queued ? "runnable" : "asleep");
	fifo_dispatch(sim, cpu, prev);
}

static inline void log_runnable(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	log_add(sim, "runnable(%s)", log_flags(enq_flags));
}

static inline void log_running(struct sim *sim, struct sim_task *p)
{
	log_add(sim, "running");
}

static inline void log_stopping(struct sim *sim, struct sim_task *p, bool runnable)
{
	log_add(sim, "stopping(%s)", runnable ? "runnable" : "");
}

static inline void log_quiescent(struct sim *sim, struct sim_task *p, __u64 deq_flags)
{
	log_add(sim, "quiescent(%s)", deq_flags & SIM_DEQ_SLEEP ? "sleep" : "");
}

static inline void log_update_idle(struct sim *sim, __s32 cpu, bool idle)
{
	log_add(sim, idle ? "idle" : "busy");
}

static inline int log_init_task(struct sim *sim, struct sim_task *p)
{
	log_add(sim, "init_task");
	return 0;
}

static inline void log_exit_task(struct sim *sim, struct sim_task *p)
{
	log_add(sim, "exit_task");
}

#define LOG_POLICY                                                                                 \
	.name = "log", .select_cpu = log_select_cpu, .enqueue = log_enqueue,                       \
	.dispatch = log_dispatch, .runnable = log_runnable, .running = log_running,                \
	.stopping = log_stopping, .quiescent = log_quiescent, .update_idle = log_update_idle,      \
	.init_task = log_init_task, .exit_task = log_exit_task, .init = fifo_init
