/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/heap.h"
#include "tests/sim/machine.h"
#include "tests/sim/queue.h"
#include "tests/sim/random.h"
#include "tests/sim/sim.h"

/* The inside of the kernel model, for its own files. */

enum {
	SPEED_ONE = 1024, /* work is counted in ns times this */
	MAX_OBSERVERS = 8,
	MAX_INSERTS = 32, /* of one dispatch: dispatch_max_batch */
	DISPATCH_LOOPS = 32,
	CPU_WORDS = DONOR_MAX_CPUS / 64,
};
#define DSQ_INVALID (~0ULL) /* as in the kernel: no queue */
#define SLICE_INF (~0ULL)
#define WORK_MAX_NS (~0ULL / SPEED_ONE)

struct cpu_mask {
	__u64 words[CPU_WORDS];
};

struct dsq {
	__u64 id;
	__s32 cpu; /* whose local queue this is, or -1 */
	struct queue tasks;
	bool by_vtime; /* holds tasks inserted by vtime */
	__u64 lock_free_ns; /* contention of the lock: see lock_cost_ns() */
	__u64 window_ns;
	struct cpu_mask contenders; /* who used the lock in the window */
	__u32 nr_contenders;
};

/* An insert that a callback asked for, and that waits until the callback is over. */
struct insert {
	struct sim_task *task;
	__u64 dsq;
	__u64 vtime;
	__u64 enq_flags;
	bool by_vtime;
};

enum task_state {
	TASK_NEW,
	TASK_BLOCKED, /* sleeps, or waits for sim_wake() */
	TASK_WAKING, /* between the two halves of a wakeup */
	TASK_RUNNABLE, /* queued or running */
	TASK_DEAD,
};

struct sim_task {
	struct sim_task_view view; /* first: see task_view() */
	struct sim_task *next;
	struct task_spec spec;
	char *name;
	cpu_set_t allowed;
	void *policy_data, *metrics_data;

	enum task_state state;
	bool locked; /* the kernel's pi_lock: it is being woken or changed */
	bool woken; /* while not blocked: counts for the next STEP_BLOCK */
	bool waits_for_time; /* STEP_SLEEP, not STEP_BLOCK */
	bool has_policy; /* init_task was called */
	bool must_move; /* runs where it no longer may */
	__s32 on_cpu; /* it has the CPU or is still being switched away from it; -1 */

	struct dsq *dsq; /* where it is queued */
	struct queue_node node;
	struct insert insert; /* direct dispatch */
	__u32 deferred_generation;
	__s32 deferred_to; /* CPU whose local queue it is on its way to, or -1 */
	bool in_custody; /* given to the policy by enqueue, and not inserted yet */
	__u64 wake_flags;
	__u64 runnable_ns; /* since when it waits */

	/* Work in ns * SPEED_ONE. */
	__u64 refill;
	__u64 work;
	__s32 last_cpu; /* where its cache is; -1 */
	__u64 step_ns; /* when the program was last asked */
	__u32 nr_steps; /* at that time */

	/* What WORK_CHANGE sets. */
	cpu_set_t new_allowed;
	__s32 new_nice;
	bool change_allowed, change_nice, change_pending;
	struct sim_task *rt_next;
};

struct sim_cpu {
	__s32 id;
	bool exists, online;
	bool idle; /* in the idle loop */
	bool locked; /* the kernel's rq lock */
	__u32 nr_contexts; /* callbacks that run here: it can do nothing else */
	struct sim_task *curr; /* as the kernel's rq->curr: the old one until the switch is done */
	bool running; /* curr makes progress */
	struct sim_task *rt_first; /* waiting tasks of CLASS_RT */
	struct dsq local;

	__u64 updated_ns; /* progress is counted up to here */
	__u64 overhead_ns; /* to pass before the task makes progress */
	__u64 idle_since_ns;
	__u32 speed; /* of curr, SPEED_ONE is nominal */
	__u32 clock; /* SPEED_ONE is nominal */
	__u32 perf; /* as asked by cpuperf */
	__u64 step_at_ns; /* when WORK_STEP will come */
	__u32 step_generation;

	bool schedule_pending;
	__u64 schedule_at_ns;
	__u32 schedule_generation;
	bool kick_pending;
	__u64 kick_flags;
	__u32 nr_coming; /* tasks on their way into its run queue or local queue */
	bool tick_pending;
	__u64 tick_skew_ns;
	__s32 distribute; /* where the search for an idle CPU begins */
};

enum callback {
	CALLBACK_OTHER,
	CALLBACK_SELECT,
	CALLBACK_ENQUEUE,
	CALLBACK_DISPATCH,
};

/* One callback of the policy, with what it asked for. They nest where callbacks interleave. */
struct context {
	struct context *outer;
	struct sim_cpu *cpu;
	struct sim_task *task; /* that may be inserted */
	enum callback kind;
	__u32 depth;
	__u64 window_end_ns;
	struct insert inserts[MAX_INSERTS];
	__u32 nr_inserts;
	__u32 nr_moved;
};

/* What a program asked for while it ran; carried out when it has said its next step. */
enum action_kind {
	ACTION_WAKE,
	ACTION_FORK,
	ACTION_CHANGE,
	ACTION_HOTPLUG,
};

struct action {
	enum action_kind kind;
	struct sim_task *task;
	struct sim_cpu *here; /* where it counts as done; NULL: in an interrupt */
	__u64 flags;
	__s32 cpu;
	bool online;
};

struct actions {
	struct action *actions;
	__u32 nr, size;
};

struct observer {
	void (*see)(struct sim *sim, const struct sim_event *event, void *data);
	void *data;
};

struct sim {
	struct sim_options options;
	const struct sim_policy *policy;
	const struct donor_topology *topology;
	const struct sim_machine *machine;
	void *policy_data;
	bool started;
	char *error;
	int fatal; /* negative errno of a failed init */

	__u64 now_ns;
	__u64 seq;
	__u64 nr_events;
	struct heap heap;
	__u64 nr_live; /* works that can lead to progress */
	struct random random[_RANDOM_MAX];
	struct context *context;

	struct sim_cpu *cpus;
	struct cpu_mask idle_cpus, idle_cores, existing_cpus;
	__u32 nr_active_cores;
	bool clock_pending;
	__u32 clock_step;

	struct dsq global;
	struct dsq **dsqs; /* hash table by id */
	__u32 nr_dsqs, size_dsqs;

	struct sim_task *tasks, **last_task;
	__u32 nr_tasks, nr_alive, nr_foreground, nr_runnable;
	bool had_foreground;
	struct actions outside; /* asked for before the run, or between two parts of it */
	struct actions *actions; /* of what runs now */
	void **graves; /* storage of tasks that ended while a callback could still look at it */
	__u32 nr_graves, size_graves;

	__u32 timer_generation;
	bool timer_pending;
	struct observer observers[MAX_OBSERVERS];
	__u32 nr_observers;
};

/* engine.c */
void sim_push(struct sim *sim, struct work work, __u64 delay_ns);
void sim_carry_out(struct sim *sim, const struct work *work);

/* interleave.c */
bool work_is_ready(const struct sim *sim, const struct work *work);
void kernel_yield(const struct sim *sim);

/* program.c: what programs ask for, and their steps */
void sim_fork(struct sim *sim, struct sim_task *task, struct sim_task *parent);
void sim_do_actions(struct sim *sim, struct actions *actions, struct sim_cpu *here);
void sim_do_call(struct sim *sim, const struct work *work);
void cpu_step(struct sim *sim, struct sim_cpu *cpu);

/* task.c */
void task_finish(struct sim *sim, struct sim_task *p, struct sim_cpu *here);
void task_exit_all(struct sim *sim);
void task_free_all(struct sim *sim);
void sim_empty_graves(struct sim *sim);

/* callbacks.c */
__s32 call_select_cpu(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 wake_flags);
void call_enqueue(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 enq_flags);
__u32 call_dispatch(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev);
void call_runnable(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 enq_flags);
void call_running(struct sim *sim, struct sim_cpu *here, struct sim_task *p);
void call_stopping(struct sim *sim, struct sim_cpu *here, struct sim_task *p, bool runnable);
void call_quiescent(struct sim *sim, struct sim_cpu *here, struct sim_task *p, __u64 deq_flags);
void call_tick(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p);
void call_update_idle(struct sim *sim, struct sim_cpu *cpu, bool idle);
int call_init_task(struct sim *sim, struct sim_cpu *here, struct sim_task *p);
void call_exit_task(struct sim *sim, struct sim_cpu *here, struct sim_task *p);
void call_hotplug(struct sim *sim, struct sim_cpu *cpu, bool online);
void call_timer(struct sim *sim);
int call_init(struct sim *sim);

/* kernel-wakeup.c */
void task_wake(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 wake_flags);
void task_select(struct sim *sim, struct sim_task *p, struct sim_cpu *here);
void task_activate(struct sim *sim, struct sim_task *p, struct sim_cpu *here);
__s32 task_fallback_cpu(struct sim *sim, struct sim_task *p);
struct sim_cpu *any_online_cpu(struct sim *sim);

/* kernel-enqueue.c */
void task_enqueue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 enq_flags);
void task_dequeue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 deq_flags);
void task_do_enqueue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 enq_flags);
void task_requeue(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __u64 enq_flags);
void task_take(struct sim *sim, struct sim_task *p);
void task_requeue_on(struct sim *sim, struct sim_task *p, struct sim_cpu *here, __s32 cpu);

/* kernel-insert.c */
__u32 flush_inserts(struct sim *sim, struct context *context);
void cancel_deferred(struct sim *sim, struct sim_task *p);
void finish_insert(struct sim *sim, const struct insert *insert, struct sim_cpu *here);
void finish_deferred(struct sim *sim, struct sim_task *p, struct sim_cpu *cpu);
void local_insert(struct sim *sim, struct sim_cpu *cpu, struct sim_task *p, __u64 enq_flags);

/* kernel-queue.c */
struct dsq *dsq_find(const struct sim *sim, __u64 id, __s32 this_cpu);
void dsq_insert(struct sim *sim, struct dsq *dsq, const struct insert *insert);
void dsq_remove(struct sim_task *p);
struct sim_task *dsq_first(const struct dsq *dsq);
struct sim_task *dsq_next(struct sim_task *p);
bool dsq_move_to_local(struct sim *sim, struct dsq *dsq, struct sim_cpu *cpu);
void dsq_free_all(struct sim *sim);

/* kernel-schedule.c */
void cpu_schedule(struct sim *sim, struct sim_cpu *cpu);
void cpu_evict(struct sim *sim, struct sim_cpu *cpu, struct sim_task *prev);
void cpu_resched(struct sim *sim, struct sim_cpu *cpu, struct sim_cpu *here);
void rt_enqueue(struct sim *sim, struct sim_task *p, struct sim_cpu *here);
void rt_remove(struct sim *sim, struct sim_task *p);

/* kernel-tick.c */
void cpu_tick(struct sim *sim, struct sim_cpu *cpu);
void cpu_start_tick(struct sim *sim, struct sim_cpu *cpu);
void cpu_kicked(struct sim *sim, struct sim_cpu *cpu);
void watchdog_start(struct sim *sim);
void watchdog_look(struct sim *sim);

/* kernel-idle.c */
void idle_enter(struct sim *sim, struct sim_cpu *cpu);
void idle_leave(struct sim *sim, struct sim_cpu *cpu);
void idle_set_bit(struct sim *sim, struct sim_cpu *cpu);
void idle_clear_bit(struct sim *sim, struct sim_cpu *cpu);

/* kernel-change.c */
void task_change(struct sim *sim, struct sim_task *p, struct sim_cpu *here);
__u32 nice_to_weight(__s32 nice);

/* kernel-hotplug.c */
void cpu_hotplug(struct sim *sim, struct sim_cpu *cpu, bool online);

/* speed.c, clock.c, costs.c */
void cpu_update(struct sim *sim, struct sim_cpu *cpu);
void cpu_start_running(struct sim *sim, struct sim_cpu *cpu);
void cpu_stop_running(struct sim *sim, struct sim_cpu *cpu);
void cpu_predict(struct sim *sim, struct sim_cpu *cpu);
void cpu_charge(struct sim_cpu *cpu, __u64 cost_ns);
void clock_follow(struct sim *sim);
void clock_init(struct sim *sim);
void clock_ask(struct sim *sim);
void cpu_clock_changed(struct sim *sim, struct sim_cpu *cpu, __u32 clock);
__u64 idle_exit_ns(struct sim *sim, const struct sim_cpu *cpu);
__u64 lock_cost_ns(struct sim *sim, struct dsq *dsq, const struct sim_cpu *cpu);
void task_moved(struct sim *sim, struct sim_task *p, __s32 cpu);

/* observe.c: nobody builds an event that nobody sees */
void observe(struct sim *sim, const struct sim_event *event);
#define OBSERVE(sim, what, ...)                                                                    \
	do {                                                                                       \
		if ((sim)->nr_observers)                                                           \
			observe((sim), &(struct sim_event){ .kind = (what), __VA_ARGS__ });        \
	} while (0)

static inline struct sim_cpu *cpu_of(struct sim *sim, __s32 cpu)
{
	return &sim->cpus[cpu];
}

static inline bool mask_test(const struct cpu_mask *mask, __s32 cpu)
{
	return mask->words[cpu / 64] >> (cpu % 64) & 1;
}

static inline void mask_set(struct cpu_mask *mask, __s32 cpu)
{
	mask->words[cpu / 64] |= 1ULL << (cpu % 64);
}

static inline void mask_clear(struct cpu_mask *mask, __s32 cpu)
{
	mask->words[cpu / 64] &= ~(1ULL << (cpu % 64));
}

static inline bool task_may_run(struct sim *sim, const struct sim_task *p, __s32 cpu)
{
	return CPU_ISSET(cpu, &p->allowed) && sim->cpus[cpu].online;
}
