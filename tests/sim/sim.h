/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>
#include <sched.h>
#include <stdbool.h>

#include "service/topology.h"
#include "tests/sim/program.h"

/*
 * One run: a machine, the kernel's side of sched_ext, a policy, tasks. One thread, one heap of
 * events ordered by (time, sequence), and random numbers from one generator per purpose: the same
 * seed gives the same bytes.
 *
 * The kernel model promises what the real one does (docs/SIMULATOR.md lists it), no more: an
 * insert is carried out after the callback, the idle mask is a reservation, a slice ends at a tick.
 */

/* What a policy is to the kernel: the callbacks of struct sched_ext_ops. Any but the first three
 * may be NULL. */
struct sim_policy {
	const char *name;
	const char *help;

	__s32 (*select_cpu)(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags);
	void (*enqueue)(struct sim *sim, struct sim_task *p, __u64 enq_flags);
	void (*dispatch)(struct sim *sim, __s32 cpu, struct sim_task *prev);

	void (*runnable)(struct sim *sim, struct sim_task *p, __u64 enq_flags);
	void (*running)(struct sim *sim, struct sim_task *p);
	void (*stopping)(struct sim *sim, struct sim_task *p, bool runnable);
	void (*quiescent)(struct sim *sim, struct sim_task *p, __u64 deq_flags);
	void (*tick)(struct sim *sim, struct sim_task *p);
	void (*update_idle)(struct sim *sim, __s32 cpu, bool idle);
	int (*init_task)(struct sim *sim, struct sim_task *p);
	void (*exit_task)(struct sim *sim, struct sim_task *p);
	void (*cpu_online)(struct sim *sim, __s32 cpu);
	void (*cpu_offline)(struct sim *sim, __s32 cpu);
	void (*timer)(struct sim *sim); /* armed by kernel_start_timer() */

	int (*init)(struct sim *sim); /* before the first task; negative errno fails the run */
	void (*exit)(struct sim *sim);
	__u64 ops_flags; /* SIM_OPS_* */
};

enum {
	SIM_OPS_ENQ_LAST = 1 << 1,

	SIM_WAKE_FORK = 1 << 2,
	SIM_WAKE_TTWU = 1 << 3,
	SIM_WAKE_SYNC = 1 << 4,
	SIM_DEQ_SLEEP = 1 << 0,
	SIM_KICK_IDLE = 1 << 0,
	SIM_KICK_PREEMPT = 1 << 1,
};
#define SIM_ENQ_WAKEUP (1ULL << 0)
#define SIM_ENQ_HEAD (1ULL << 4)
#define SIM_ENQ_PREEMPT (1ULL << 32)
#define SIM_ENQ_REENQ (1ULL << 40)
#define SIM_ENQ_LAST (1ULL << 41)
#define SIM_DSQ_LOCAL ((1ULL << 63) | 2)
#define SIM_DSQ_GLOBAL ((1ULL << 63) | 1)
#define SIM_DSQ_LOCAL_ON (3ULL << 62)
#define SIM_SLICE_DEFAULT 20000000ULL

enum sim_random_purpose {
	RANDOM_PROGRAM, /* variation of the work */
	RANDOM_KERNEL, /* skew of ticks, jitter of latencies */
	RANDOM_POLICY,
	RANDOM_INTERLEAVE, /* which other CPU acts between two calls of a callback */
	_RANDOM_MAX,
};

struct sim_options {
	const struct donor_topology *topology; /* borrowed for the life of the run */
	const struct sim_machine *machine; /* speeds; borrowed as well */
	const struct sim_policy *policy;
	const struct donor_params *params; /* of donor; NULL: balanced mode */
	__u64 seed;
	__u32 hz; /* of the tick */
	bool no_smt_sharing; /* negative control: a busy sibling costs nothing */
	bool blind; /* the head of a queue cannot be seen, as on some kernels */
	bool interleave; /* other CPUs act between two kernel calls of a callback */
	__u64 watchdog_ns; /* a task that waits longer ejects the policy */
};

/* ---- A run, from outside ---- */

int sim_new(const struct sim_options *options, struct sim **ret);
struct sim *sim_free(struct sim *sim); /* NULL, always */

/* From a program (the child of `parent`), or before the run (parent NULL). Owned by the run. */
struct sim_task *sim_spawn(struct sim *sim, struct sim_task *parent, const struct task_spec *spec);

/*
 * Run until all tasks that are not background have ended, or until `until_ns` (0: no limit).
 * 0, or: -EDEADLK: nothing can happen any more and tasks are left; -ETIMEDOUT: `until_ns` came
 * first; -EPROTO: the policy broke a rule and was ejected, sim_error() says which.
 */
int sim_run(struct sim *sim, __u64 until_ns);
const char *sim_error(const struct sim *sim);

/* From a program, an event or outside. Wakes nothing that is not blocked (it is remembered). */
void sim_wake(struct sim *sim, struct sim_task *task, struct sim_task *waker, __u64 wake_flags);
void sim_set_allowed(struct sim *sim, struct sim_task *task, const cpu_set_t *allowed);
void sim_set_nice(struct sim *sim, struct sim_task *task, __s32 nice);
/* At that time: `call` with its data. Takes events of the same time in the order they were made. */
void sim_at(struct sim *sim, __u64 time_ns, void (*call)(struct sim *sim, void *data), void *data);
void sim_set_online(struct sim *sim, __s32 cpu, bool online); /* hotplug */

__u64 sim_now_ns(const struct sim *sim);
__u64 sim_random(struct sim *sim, enum sim_random_purpose purpose);
const struct donor_topology *sim_topology(const struct sim *sim);
const struct sim_machine *sim_machine(const struct sim *sim);
const struct sim_options *sim_get_options(const struct sim *sim);
__u64 sim_nr_events(const struct sim *sim);
/* Ends the run with -EPROTO. For the kernel model, a policy and the property checks. */
void sim_eject(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *sim_policy_data(struct sim *sim);
void sim_set_policy_data(struct sim *sim, void *data);

/* ---- What a policy may ask of the kernel (the kfuncs) ---- */

void kernel_insert(struct sim *sim, struct sim_task *p, __u64 dsq, __u64 slice_ns, __u64 enq_flags);
void kernel_insert_vtime(struct sim *sim, struct sim_task *p, __u64 dsq, __u64 slice_ns,
			 __u64 vtime, __u64 enq_flags);
int kernel_create_dsq(struct sim *sim, __u64 dsq);
__u32 kernel_nr_queued(const struct sim *sim, __u64 dsq);
struct sim_task *kernel_dsq_first(const struct sim *sim, __u64 dsq); /* or NULL */
bool kernel_move_to_local(struct sim *sim,
			  __u64 dsq); /* at dispatch only, to the CPU that dispatches */
bool kernel_claim_idle(struct sim *sim, __s32 cpu);
/* Among CPUs of `mask`, a random-free choice as the kernel makes it: -1 if none. */
__s32 kernel_pick_idle_cpu(struct sim *sim, const cpu_set_t *mask, bool whole_core);
bool kernel_test_idle(const struct sim *sim, __s32 cpu); /* looks, does not claim */
bool kernel_core_is_idle(const struct sim *sim, __s32 cpu); /* looks, does not claim */
void kernel_kick_cpu(struct sim *sim, __s32 cpu, __u64 kick_flags);
void kernel_set_cpuperf(struct sim *sim, __s32 cpu, __u32 perf); /* 1024 is the most */
void kernel_start_timer(struct sim *sim, __u64 delay_ns);
struct sim_task *kernel_cpu_curr(const struct sim *sim, __s32 cpu); /* fair task on it, or NULL */
__s32 kernel_this_cpu(const struct sim *sim); /* where the callback runs */
struct sim_task *
kernel_current(const struct sim *sim); /* the task that runs there: a waker; or NULL */

/* ---- A task, as struct task_struct shows it ---- */

struct sim_task_view {
	__s32 pid;
	__s32 cpu; /* where it last ran or is queued */
	__u32 weight; /* of its nice level, 100 is nice 0 */
	__u32 nr_allowed;
	bool queued; /* runnable */
	bool running;
	bool kthread;
	bool exiting;
	bool by_interrupt; /* was woken last: not by the task that runs there */
	enum sched_class sched_class;
	__u64 sum_exec_ns;
	__u64 slice_ns; /* what is left; writable through task_set_slice() */
};
const struct sim_task_view *task_view(const struct sim_task *task);
const cpu_set_t *task_allowed(const struct sim_task *task); /* those that exist, on- or offline */
const struct task_spec *task_spec(const struct sim_task *task);
void task_set_slice(struct sim *sim, struct sim_task *task, __u64 slice_ns);
void *task_policy_data(struct sim_task *task); /* task storage; freed with free() */
void task_set_policy_data(struct sim_task *task, void *data);
void *task_metrics_data(struct sim_task *task); /* the observer's; freed with free() */
void task_set_metrics_data(struct sim_task *task, void *data);
struct sim_task *sim_next_task(const struct sim *sim, struct sim_task *task); /* NULL: the first */

/* ---- What happened, for metrics, the trace and the property checks ---- */

enum sim_event_kind {
	EVENT_WAKE, /* task: became runnable by sim_wake() or fork */
	EVENT_REQUEUED, /* task: went through enqueue without having slept */
	EVENT_INSERTED, /* task went into the queue `dsq` */
	EVENT_RUN, /* task begins to run on cpu; `migrated` from `from_cpu` if that differs */
	EVENT_STOP, /* task no longer runs on cpu; `runnable` if it would have gone on */
	EVENT_IDLE, /* cpu has nothing to run */
	EVENT_BUSY, /* cpu was idle and no longer is */
	EVENT_CLAIM, /* the idle bit of cpu was taken */
	EVENT_KICK, /* cpu was kicked */
	EVENT_DONATE, /* the policy says that it gave task from from_cpu to cpu */
	EVENT_FRAME, /* the program says that a period ended; `late_ns` behind its deadline, 0 in
			time */
	EVENT_EXIT, /* task ended */
	EVENT_ONLINE, /* cpu came */
	EVENT_OFFLINE, /* cpu went */
	EVENT_SPEED, /* speed of cpu changed to `speed` (1024 nominal) */
	EVENT_STEP, /* one event of the heap was carried out: look at everything now */
};

struct sim_event {
	enum sim_event_kind kind;
	struct sim_task *task;
	__s32 cpu;
	__s32 from_cpu;
	bool runnable;
	__u32 speed;
	__u64 dsq;
	__u64 late_ns;
};

/* Called in the order of registration, at most 8. `data` is borrowed. */
void sim_observe(struct sim *sim,
		 void (*see)(struct sim *sim, const struct sim_event *event, void *data),
		 void *data);
/* A policy or a program reports DONATE or FRAME. */
void sim_report(struct sim *sim, const struct sim_event *event);

/* What an observer may look at beside the above. */
bool cpu_is_online(const struct sim *sim, __s32 cpu);
bool cpu_is_idle(const struct sim *sim, __s32 cpu); /* runs nothing, whatever the idle mask says */
bool cpu_kick_pending(const struct sim *sim,
		      __s32 cpu); /* a kick or a dispatch is on its way to it */
__u32 cpu_nr_local(const struct sim *sim, __s32 cpu); /* tasks in its local queue */
