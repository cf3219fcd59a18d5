/* SPDX-License-Identifier: GPL-2.0-only */
/* donor's scheduler, but it loses each task of the name "donor-stall": the kernel's watchdog sees. */

#include "bpf/kernel.bpf.h"

#include "bpf/env.bpf.h"
#include "bpf/init.bpf.h"

#include "bpf/policy/scheduler.h"

struct task_struct___named {
	char comm[16];
} __attribute__((preserve_access_index));

static __always_inline bool is_lost(const struct env *env)
{
	static const char name[] = "donor-stall";
	struct task_struct___named *p = (void *)env->p;
	char comm[sizeof(p->comm)];

	if (bpf_probe_read_kernel(comm, sizeof(comm), &p->comm) < 0)
		return false;
	for (unsigned i = 0; i < sizeof(name); i++)
		if (comm[i] != name[i])
			return false;
	return true;
}

static __always_inline __s32 stalling_select_cpu(struct env *env, __s32 prev, bool sync)
{
	return is_lost(env) ? prev : scheduler_select_cpu(env, prev, sync);
}

static __always_inline bool stalling_enqueue(struct env *env, __s32 prev, bool last)
{
	return !is_lost(env) && scheduler_enqueue(env, prev, last);
}

#define scheduler_select_cpu stalling_select_cpu
#define scheduler_enqueue stalling_enqueue
#include "bpf/donor.bpf.c"
