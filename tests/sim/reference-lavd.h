/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/reference.h"

/* What the files of the LAVD references share. */

struct lavd_domain {
	__u32 load; /* smoothed: busy CPUs and queued tasks, 1024 each */
	bool stealer, stealee;
	__u32 nr_cpus;
};

struct lavd {
	struct reference reference;
	bool donates;
	__u64 clock_ns; /* logical: follows the deadlines of what runs */
	__u64 slice_ns;
	__u64 lat_cri_max, lat_cri_sum, lat_cri_nr, lat_cri_avg;
	__u64 served_sum_ns, served_nr, served_avg_ns; /* since the last timer, and before */
	__u64 nr_queued;
	__u32 nr_forks;
	__u64 nr_timers;
	__u64 busy_ns[DONOR_MAX_CPUS]; /* since the last timer */
	__u64 busy_since_ns[DONOR_MAX_CPUS]; /* 0: idle */
	__u32 util[DONOR_MAX_CPUS]; /* average, 1024 is always busy */
	struct lavd_domain domains[DONOR_MAX_DOMAINS];
};

struct lavd_task {
	__u64 deadline_ns; /* on the logical clock */
	__u64 exec_ns; /* of its CPU time, what is accounted */
	__u64 run_ns, avg_run_ns; /* since it woke; average */
	__u64 served_ns; /* by weight */
	__u32 nr_exhausted; /* slices in a row */
	__u64 woken_ns, slept_ns;
	__u64 wait_freq, wake_freq; /* sleeps, wakeups of others, per second */
	__u64 lat_cri, lat_cri_waker, lat_cri_wakee;
	__s32 chosen; /* CPU that select_cpu found; -1: enqueue looks */
	__u32 chosen_domain;
	bool chosen_idle;
	bool queued;
	bool woken, sync;
};

struct lavd_choice {
	__s32 cpu;
	__u32 domain; /* whose queue takes it if the CPU is not idle */
	bool idle; /* claimed */
};

static inline struct lavd *lavd_of(struct sim *sim)
{
	return sim_policy_data(sim);
}

/* reference-lavd-place.c: where to, in the order of LAVD. */
struct lavd_choice lavd_choose(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags);

/* reference-lavd-balance.c: loads and roles, every 10 ms; and who takes from whom. */
void lavd_timer(struct sim *sim);
void lavd_update_idle(struct sim *sim, __s32 cpu, bool idle);
void lavd_dispatch(struct sim *sim, __s32 cpu, struct sim_task *prev);

/* reference-lavd-task.c: latency criticality, deadline, slice. */
int lavd_init_task(struct sim *sim, struct sim_task *p);
void lavd_runnable(struct sim *sim, struct sim_task *p, __u64 enq_flags);
void lavd_running(struct sim *sim, struct sim_task *p);
void lavd_stopping(struct sim *sim, struct sim_task *p, bool runnable);
void lavd_quiescent(struct sim *sim, struct sim_task *p, __u64 deq_flags);
__u64 lavd_deadline(struct sim *sim, struct sim_task *p);
void lavd_exhausted(struct lavd_task *task, bool exhausted);
__u64 lavd_slice(struct sim *sim, const struct sim_task *p);
