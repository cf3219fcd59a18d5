/* SPDX-License-Identifier: GPL-2.0-only */
/* Credits workers with work, and logs who ran where; see model.h. Loads beside any scheduler. */

#include "bpf/kernel.bpf.h"

#include "tests/bench/guest/model.h"

#define barrier() asm volatile("" ::: "memory")

char _license[] SEC("license") = "GPL";

struct task_struct___named {
	char comm[16];
} __attribute__((preserve_access_index));

struct cpumask___first {
	unsigned long bits[1];
} __attribute__((preserve_access_index));

struct bpf_spin_lock {
	__u32 val;
};

struct thread {
	__u32 worker;
	__u32 is_busy;
};

struct core {
	struct bpf_spin_lock lock;
	struct thread threads[MODEL_THREADS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MODEL_CPUS);
	__type(key, __u32);
	__type(value, struct core);
} cores SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MODEL_EVENTS);
	__type(key, __u32);
	__type(value, struct model_event);
} events SEC(".maps");

struct model model SEC(".data.model") = { .share = MODEL_FULL };

static __always_inline __u32 digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : MODEL_WORKERS;
}

/* The NN of bench-NN, 0 for any other name. */
static __always_inline __u32 worker_of_name(const char *name)
{
	__u32 number;

	if (name[0] != 'b' || name[1] != 'e' || name[2] != 'n' || name[3] != 'c' ||
	    name[4] != 'h' || name[5] != '-')
		return 0;
	number = digit(name[6]) * 10 + digit(name[7]);
	return number < MODEL_WORKERS ? number : 0;
}

static __always_inline __u32 worker_of(const struct task_struct *p)
{
	char name[16];

	bpf_probe_read_kernel(name, sizeof(name), &((struct task_struct___named *)p)->comm);
	return worker_of_name(name);
}

static __always_inline void set_speed(__u32 number, __u64 now_ns, __u32 speed)
{
	struct model_worker *worker = &model.workers[number % MODEL_WORKERS];

	worker->seq++;
	barrier();
	if (now_ns > worker->since_ns) { /* times were read before the lock was had */
		worker->done += (now_ns - worker->since_ns) * worker->speed;
		worker->since_ns = now_ns;
	}
	worker->speed = speed;
	barrier();
	worker->seq++;
}

/* From now on this worker, or nobody's, or the idle task has this CPU. */
static __always_inline void occupy(__u64 now_ns, __u32 worker, bool is_busy)
{
	__u32 place = bpf_get_smp_processor_id() % MODEL_CPUS;
	__u32 index = model.cores[place], t = model.threads[place] % MODEL_THREADS;
	struct core *core = bpf_map_lookup_elem(&cores, &index);
	__u32 share = model.share;

	if (!core)
		return;
	bpf_spin_lock(&core->lock);
	struct thread *own = &core->threads[t], *sibling = &core->threads[1 - t];

	if (own->worker != worker)
		set_speed(own->worker, now_ns, 0);
	own->worker = worker;
	own->is_busy = is_busy;
	set_speed(worker, now_ns, sibling->is_busy ? share : MODEL_FULL);
	set_speed(sibling->worker, now_ns, is_busy ? share : MODEL_FULL);
	bpf_spin_unlock(&core->lock);
}

static __always_inline void note(__u64 now_ns, struct task_struct *p, enum model_event_kind kind,
				 __u32 next, __u32 worker)
{
	struct model_event *event;
	__u32 index;

	if (!model.max_events)
		return;
	index = __sync_fetch_and_add(&model.nr_events, 1);
	event = bpf_map_lookup_elem(&events, &index);
	if (!event)
		return;
	event->time_ns = now_ns;
	event->allowed = ((struct cpumask___first *)p->cpus_ptr)->bits[0];
	event->task = p->pid;
	event->next = next;
	event->cpu = bpf_get_smp_processor_id();
	event->kind = kind;
	event->worker = worker;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	__u32 worker = worker_of(next);
	bool waits = preempt || !prev_state;
	__u64 now_ns = bpf_ktime_get_ns(); /* one: a CPU may stand still between two */

	occupy(now_ns, worker, next->pid != 0);
	note(now_ns, prev, waits ? MODEL_SWITCH_WAITS : MODEL_SWITCH_SLEEPS, next->pid, worker);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p)
{
	note(bpf_ktime_get_ns(), p, MODEL_WAKE, 0, worker_of(p));
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *p)
{
	note(bpf_ktime_get_ns(), p, MODEL_WAKE, 0, worker_of(p));
	return 0;
}

/* A task becomes a worker by its name, from that moment on and without a switch. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *p, const char *name)
{
	__u64 now_ns = bpf_ktime_get_ns();
	char copy[16] = {};
	__u32 worker;

	if (p->pid != (__s32)bpf_get_current_pid_tgid())
		return 0;
	bpf_probe_read_kernel_str(copy, sizeof(copy), name);
	worker = worker_of_name(copy);
	occupy(now_ns, worker, true);
	if (worker)
		note(now_ns, p, MODEL_RENAME, p->pid, worker);
	return 0;
}
