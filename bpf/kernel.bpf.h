/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * The kernel as donor uses it, by hand: types, constants, functions. libbpf finds each field and
 * function of the running kernel by name, so a struct lists only what is touched.
 *
 * A function that changed its name or shape has one weak declaration per generation, told apart by
 * a ___suffix which libbpf drops; one that does not fit the running kernel counts as absent. Ask
 * for the function, never for a version or an argument type: some kernels carry the type and a
 * malformed function.
 */

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define ENOMEM 12
#define EBUSY 16
#define EPROTO 71
#define true 1
#define false 0
#define NULL ((void *)0)

enum {
	BPF_F_NO_PREALLOC = 1 << 0,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1 << 0,
	CLOCK_MONOTONIC = 1,
	PF_KTHREAD = 0x00200000, /* in task_struct.flags */
};

enum bpf_map_type {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* A struct in the prototype of a kernel function must be defined, were it empty. */
struct cpumask {
	unsigned long bits[1];
};
struct bpf_cpumask {
	struct cpumask cpumask;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};
struct sched_ext_entity {
	__u64 slice;
	__u64 dsq_vtime;
	__u32 weight;
	__u32 flags;
};
struct thread_info {
	__u32 cpu;
};
struct task_struct {
	struct thread_info thread_info;
	int pid;
	unsigned int flags;
	int nr_cpus_allowed;
	const struct cpumask *cpus_ptr;
	unsigned short migration_disabled;
	struct sched_entity se;
	struct sched_ext_entity scx;
};

struct rq {
	__u64 clock;
};
struct pcpu_hot {
	int preempt_count;
};

enum scx_exit_kind {
	SCX_EXIT_NONE,
};
struct scx_exit_info {
	enum scx_exit_kind kind;
	__s64 exit_code;
	const char *reason;
	char *msg;
	char *dump;
};
struct scx_init_task_args {
	bool fork;
};
struct scx_dump_ctx {
	enum scx_exit_kind kind;
};
struct scx_bpf_dsq_insert_vtime_args {
	__u64 dsq_id;
	__u64 slice;
	__u64 vtime;
	__u64 enq_flags;
};

#pragma clang attribute pop

struct bpf_timer {
	__u64 opaque[2];
} __attribute__((aligned(8)));
struct bpf_iter_num {
	__u64 opaque[1];
};
struct bpf_iter_scx_dsq {
	__u64 opaque[6];
};

/* These values are the same in every kernel with sched_ext. */
enum {
	SCX_TASK_QUEUED = 1 << 0, /* in task_struct.scx.flags: runnable */
	SCX_WAKE_TTWU = 1 << 3, /* of select_cpu: a wakeup, no fork or exec */
	SCX_WAKE_SYNC = 1 << 4,
	SCX_KICK_IDLE = 1 << 0,
	SCX_KICK_PREEMPT = 1 << 1,
	SCX_PICK_IDLE_CORE = 1 << 0,
	SCX_OPS_ENQ_LAST = 1 << 1,
	SCX_OPS_ENQ_EXITING = 1 << 2,
};
#define SCX_ENQ_WAKEUP 1ULL
#define SCX_ENQ_PREEMPT (1ULL << 32)
#define SCX_ENQ_LAST (1ULL << 41)
#define SCX_SLICE_DFL 20000000
#define SCX_DSQ_LOCAL ((1ULL << 63) | 2)
#define SCX_DSQ_LOCAL_ON (3ULL << 62)

/* Reason and action of an exit code: the service attaches anew. */
#define SCX_ECODE_RSN_HOTPLUG (1LL << 32)
#define SCX_ECODE_ACT_RESTART (1LL << 48)

struct sched_ext_ops {
	__s32 (*select_cpu)(struct task_struct *p, __s32 prev_cpu, __u64 wake_flags);
	void (*enqueue)(struct task_struct *p, __u64 enq_flags);
	void (*dispatch)(__s32 cpu, struct task_struct *prev);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, bool runnable);
	__s32 (*init_task)(struct task_struct *p, struct scx_init_task_args *args);
	void (*enable)(struct task_struct *p);
	void (*disable)(struct task_struct *p);
	void (*cpu_online)(__s32 cpu);
	void (*cpu_offline)(__s32 cpu);
	void (*dump)(struct scx_dump_ctx *context);
	__s32 (*init)(void);
	void (*exit)(struct scx_exit_info *info);
	__u64 flags;
	__u32 timeout_ms;
	__u32 exit_dump_len;
	__u64 hotplug_seq;
	char name[128];
};

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* The same from 6.12 on. Weak where some kernels carry a malformed one and donor can go without. */
__s32 scx_bpf_create_dsq(__u64 dsq, __s32 node) __ksym;
__u32 scx_bpf_nr_cpu_ids(void) __ksym;
__s32 scx_bpf_task_cpu(const struct task_struct *p) __ksym;
void scx_bpf_kick_cpu(__s32 cpu, __u64 flags) __ksym __weak;
void scx_bpf_cpuperf_set(__s32 cpu, __u32 perf) __ksym __weak;
__s32 scx_bpf_pick_idle_cpu(const struct cpumask *allowed, __u64 flags) __ksym __weak;
bool scx_bpf_test_and_clear_cpu_idle(__s32 cpu) __ksym __weak;
const struct cpumask *scx_bpf_get_idle_cpumask(void) __ksym __weak;
void scx_bpf_put_idle_cpumask(const struct cpumask *mask) __ksym __weak;
void scx_bpf_exit_bstr(__s64 code, char *fmt, unsigned long long *data,
		       __u32 data__sz) __ksym __weak;
void scx_bpf_dump_bstr(char *fmt, unsigned long long *data, __u32 data__sz) __ksym __weak;

/* How deep the CPU is in what cannot be preempted: from 6.15 on, and before. On x86 alone. */
extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot pcpu_hot __ksym __weak;

struct bpf_cpumask *bpf_cpumask_create(void) __ksym;
void bpf_cpumask_release(struct bpf_cpumask *mask) __ksym;
void bpf_cpumask_set_cpu(__u32 cpu, struct bpf_cpumask *mask) __ksym;
void bpf_cpumask_clear_cpu(__u32 cpu, struct bpf_cpumask *mask) __ksym;
bool bpf_cpumask_test_cpu(__u32 cpu, const struct cpumask *mask) __ksym;
bool bpf_cpumask_and(struct bpf_cpumask *ret, const struct cpumask *a,
		     const struct cpumask *b) __ksym;
bool bpf_cpumask_subset(const struct cpumask *part, const struct cpumask *whole) __ksym;
__u32 bpf_cpumask_any_and_distribute(const struct cpumask *a, const struct cpumask *b) __ksym;
int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;
void bpf_rcu_read_lock(void) __ksym;
void bpf_rcu_read_unlock(void) __ksym;

/* Since 6.14. */
__u64 scx_bpf_now(void) __ksym __weak;

static __always_inline __u64 kernel_now_ns(void)
{
	return bpf_ksym_exists(scx_bpf_now) ? scx_bpf_now() : bpf_ktime_get_ns();
}

/* Run queues of the CPUs. */
extern const struct rq runqueues __ksym __weak;

/*
 * The same clock as a CPU that switches tasks has just read it. To read it anew, which is what
 * kernel_now_ns() does once the kernel has asked for work, costs five times as much.
 */
static __always_inline __u64 kernel_switch_ns(__s32 cpu)
{
	const struct rq *rq;

	if (!bpf_ksym_exists(scx_bpf_now) || !bpf_ksym_exists(&runqueues))
		return kernel_now_ns();
	rq = bpf_per_cpu_ptr(&runqueues, cpu);
	return rq ? rq->clock : kernel_now_ns();
}

/*
 * What runs is an interrupt, hard or soft, and not the task that it interrupted. Bits 16 to 23
 * count hard ones; on 7.3 those do from 24 on, and 16 to 23 are set where few drivers wake anybody.
 */
static __always_inline bool kernel_in_interrupt(void)
{
	enum { SOFTIRQ = 1 << 8, HARDIRQ_OR_NMI = 0x1fff << 16 };
	int count = 0;

	if (bpf_ksym_exists(&__preempt_count))
		count = *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	else if (bpf_ksym_exists(&pcpu_hot))
		count = ((const struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
	return count & (SOFTIRQ | HARDIRQ_OR_NMI);
}

/* Where the task is. A load, where the field is in the task as on most machines, else a call. */
static __always_inline __s32 kernel_task_cpu(struct task_struct *p)
{
	return bpf_core_field_exists(p->thread_info.cpu) ? (__s32)p->thread_info.cpu
							 : scx_bpf_task_cpu(p);
}

/* Insert at the end of a queue: 6.12, 6.13, 6.19. */
void scx_bpf_dispatch___v612(struct task_struct *p, __u64 dsq, __u64 slice,
			     __u64 flags) __ksym __weak;
void scx_bpf_dsq_insert___v613(struct task_struct *p, __u64 dsq, __u64 slice,
			       __u64 flags) __ksym __weak;
bool scx_bpf_dsq_insert___v2___v619(struct task_struct *p, __u64 dsq, __u64 slice,
				    __u64 flags) __ksym __weak;

static __always_inline void kernel_insert(struct task_struct *p, __u64 dsq, __u64 slice_ns,
					  __u64 flags)
{
	if (bpf_ksym_exists(scx_bpf_dsq_insert___v2___v619))
		scx_bpf_dsq_insert___v2___v619(p, dsq, slice_ns, flags);
	else if (bpf_ksym_exists(scx_bpf_dsq_insert___v613))
		scx_bpf_dsq_insert___v613(p, dsq, slice_ns, flags);
	else
		scx_bpf_dispatch___v612(p, dsq, slice_ns, flags);
}

/* Insert by key: 6.12, 6.13, 6.19. */
void scx_bpf_dispatch_vtime___v612(struct task_struct *p, __u64 dsq, __u64 slice, __u64 vtime,
				   __u64 flags) __ksym __weak;
void scx_bpf_dsq_insert_vtime___v613(struct task_struct *p, __u64 dsq, __u64 slice, __u64 vtime,
				     __u64 flags) __ksym __weak;
bool __scx_bpf_dsq_insert_vtime(struct task_struct *p,
				struct scx_bpf_dsq_insert_vtime_args *args) __ksym __weak;

static __always_inline void kernel_insert_vtime(struct task_struct *p, __u64 dsq, __u64 slice_ns,
						__u64 vtime_ns, __u64 flags)
{
	if (bpf_ksym_exists(__scx_bpf_dsq_insert_vtime)) {
		struct scx_bpf_dsq_insert_vtime_args args = {
			.dsq_id = dsq,
			.slice = slice_ns,
			.vtime = vtime_ns,
			.enq_flags = flags,
		};

		__scx_bpf_dsq_insert_vtime(p, &args);
	} else if (bpf_ksym_exists(scx_bpf_dsq_insert_vtime___v613)) {
		scx_bpf_dsq_insert_vtime___v613(p, dsq, slice_ns, vtime_ns, flags);
	} else {
		scx_bpf_dispatch_vtime___v612(p, dsq, slice_ns, vtime_ns, flags);
	}
}

/* Move the head of a queue to the CPU that dispatches: 6.12, 6.13, 7.1. */
bool scx_bpf_consume___v612(__u64 dsq) __ksym __weak;
bool scx_bpf_dsq_move_to_local___v613(__u64 dsq) __ksym __weak;
bool scx_bpf_dsq_move_to_local___v2___v71(__u64 dsq, __u64 flags) __ksym __weak;

static __always_inline bool kernel_move_to_local(__u64 dsq)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local___v2___v71))
		return scx_bpf_dsq_move_to_local___v2___v71(dsq, 0);
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local___v613))
		return scx_bpf_dsq_move_to_local___v613(dsq);
	return scx_bpf_consume___v612(dsq);
}

/* The running task's slice: a store up to 6.18, then a call. */
bool scx_bpf_task_set_slice(struct task_struct *p, __u64 slice) __ksym __weak;

static __always_inline void kernel_set_slice(struct task_struct *p, __u64 slice_ns)
{
	if (bpf_ksym_exists(scx_bpf_task_set_slice))
		scx_bpf_task_set_slice(p, slice_ns);
	else
		p->scx.slice = slice_ns;
}

/* Look into a queue; malformed on some kernels. */
int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, __u64 dsq, __u64 flags) __ksym __weak;
struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) __ksym __weak;
void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) __ksym __weak;

/* Key of the head of a queue; false if it is empty or the kernel cannot show it. */
static __always_inline bool kernel_queue_head(__u64 dsq, __u64 *ret_vtime_ns)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	if (!bpf_ksym_exists(bpf_iter_scx_dsq_new))
		return false;
	bpf_iter_scx_dsq_new(&it, dsq, 0);
	p = bpf_iter_scx_dsq_next(&it);
	if (p)
		*ret_vtime_ns = p->scx.dsq_vtime;
	bpf_iter_scx_dsq_destroy(&it);
	return p;
}

static __always_inline bool kernel_claim_idle(__s32 cpu)
{
	return bpf_ksym_exists(scx_bpf_test_and_clear_cpu_idle) &&
	       scx_bpf_test_and_clear_cpu_idle(cpu);
}

/* One line of the dump that the kernel writes when it ejects a scheduler. */
#define kernel_dump(fmt, args...)                                                                  \
	({                                                                                         \
		static char _fmt[] = fmt;                                                          \
		unsigned long long _data[___bpf_narg(args) ?: 1] = {};                             \
		___bpf_fill(_data, args);                                                          \
		if (bpf_ksym_exists(scx_bpf_dump_bstr))                                            \
			scx_bpf_dump_bstr(_fmt, _data, sizeof(_data));                             \
	})

/* End the scheduler, with the wish to be attached anew. */
#define kernel_restart(fmt, args...)                                                               \
	({                                                                                         \
		static char _fmt[] = fmt;                                                          \
		unsigned long long _data[___bpf_narg(args) ?: 1] = {};                             \
		___bpf_fill(_data, args);                                                          \
		if (bpf_ksym_exists(scx_bpf_exit_bstr))                                            \
			scx_bpf_exit_bstr(SCX_ECODE_RSN_HOTPLUG | SCX_ECODE_ACT_RESTART, _fmt,     \
					  _data, sizeof(_data));                                   \
	})
