/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#ifndef __bpf__ /* there bpf/bpf_helpers.h has it */
#include <stddef.h>
#endif

#include "bpf/abi.h"
#include "bpf/policy/cpu.h"
#include "bpf/policy/task.h"

/*
 * All that policy may ask of its surroundings. env.bpf.h answers from the kernel; the unit tests
 * and the simulator from a model of a machine. Policy gets at nothing else.
 *
 * An env stands for one callback about one task: "the task" below. A CPU is named by its id, a
 * domain by its index in the topology; "no CPU" is -1.
 */
struct env;

#define ENV static __always_inline __attribute__((unused))

/* Facts and state. The pointers are good for the whole callback. */
ENV const struct donor_params *env_params(const struct env *env);
ENV __u64 env_now_ns(const struct env *env);
ENV __u32 env_nr_cpus(const struct env *env);
ENV __u32 env_nr_domains(const struct env *env);
ENV struct donor_balance *env_balance(const struct env *env); /* of the machine; or NULL */
/* These are NULL for "no CPU" and "no domain". */
ENV const struct donor_cpu_topology *env_cpu_topology(const struct env *env, __u32 cpu);
ENV const struct donor_domain_topology *env_domain_topology(const struct env *env, __u32 domain);
ENV struct donor_domain *env_domain(const struct env *env, __u32 domain);
ENV struct donor_cpu *env_cpu(const struct env *env, __u32 cpu);

/* The task. */
ENV struct donor_task *env_task(const struct env *env);
ENV __u32 env_task_weight(const struct env *env); /* DONOR_WEIGHT_ONE for nice 0 */
ENV __u64 env_task_exec_ns(const struct env *env); /* on a CPU since it was born */
ENV bool env_task_is_kthread(const struct env *env);
ENV bool env_task_pinned(const struct env *env); /* may not leave its CPU */
/* Its mask has the CPU, which is online; has all CPUs of the domain; some CPU that may run it. */
ENV bool env_task_allowed(const struct env *env, __s32 cpu);
ENV bool env_task_covers(const struct env *env, __u32 domain);
ENV __s32 env_task_any_cpu(const struct env *env);
/* Some active CPU of the domain that may run it, each time another; or -1. */
ENV __s32 env_task_some_cpu(const struct env *env, __u32 domain);
/* Not who runs on this CPU wakes it, but an interrupt; false as well where the kernel does not tell. */
ENV bool env_in_interrupt(const struct env *env);
/* Who wakes it, unless that: a task of ours, or NULL. */
ENV struct donor_task *env_waker(const struct env *env);
ENV __s32 env_this_cpu(const struct env *env); /* at select_cpu: the waker's */
/* At dispatch: turn to the task that ran here and would go on; false if there is none. */
ENV bool env_turn_to_prev(struct env *env);

/* Is the CPU idle, does the kernel say, and did nobody claim it? No claim. */
enum env_idle {
	ENV_IDLE_NO,
	ENV_IDLE_YES,
	ENV_IDLE_UNKNOWN, /* this kernel does not say */
};
ENV enum env_idle env_idle_of(const struct env *env, __s32 cpu);

/*
 * Claim an idle CPU: this one, or among those of the domain that are active and may run the task.
 * A claim is exclusive until the CPU next goes idle, so who claims must use.
 */
ENV bool env_claim(const struct env *env, __s32 cpu);
ENV __s32 env_claim_in(const struct env *env, __u32 domain, bool whole_core);
/* A core that idle_find_core() finds, where the task may run anywhere. */
ENV __s32 env_claim_lost_core(const struct env *env, __u32 domain);

/* Send the task to a CPU, or into a queue ordered by key. At most one of them in a callback. */
ENV void env_insert_at(const struct env *env, __s32 cpu, __u64 slice_ns);
ENV void env_insert(const struct env *env, __u64 queue, __u64 slice_ns, __u64 key);
/* At dispatch: the head of a queue comes to this CPU; the task goes on for so long. */
ENV bool env_take(const struct env *env, __u64 queue);
ENV void env_go_on(const struct env *env, __u64 slice_ns);
/* False: empty, or this kernel cannot show it. */
ENV bool env_queue_head(const struct env *env, __u64 queue, __u64 *ret_key);

/* Interrupt a CPU when the callback is over: if it is idle; or whatever it runs. */
ENV void env_kick_idle(const struct env *env, __s32 cpu);
ENV void env_kick_preempt(const struct env *env, __s32 cpu);
/* What the searches above see. */
ENV void env_set_active(const struct env *env, __u32 domain, __u32 cpu, bool active);
ENV void env_set_online(const struct env *env, __u32 cpu, bool online);
/* Performance that the CPU should have, 1024 is the most. */
ENV void env_set_perf(const struct env *env, __u32 cpu, __u32 perf);
ENV void env_count(const struct env *env, enum donor_counter counter);

/* for (i = from; i < to; i++), in a form that the verifier accepts: env_for(i, from, to) { } */
