/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "bpf/abi.h"
#include "bpf/policy/task.h"

/*
 * All that policy may ask of its surroundings. env.bpf.h answers from the kernel; the unit tests
 * and the simulator from a model of a machine. Policy gets at nothing else.
 *
 * An env stands for one callback about one task: "the task" below. A CPU is named by its id, a
 * domain by its index in the topology; "no CPU" is -1.
 */
struct env;

/* Facts and state. The pointers are good for the whole callback. */
static __always_inline const struct donor_params *env_params(const struct env *env);
static __always_inline struct donor_task *env_task(const struct env *env);
static __always_inline __u64 env_now_ns(const struct env *env);
/* These are NULL for "no CPU" and "no domain". */
static __always_inline const struct donor_cpu_topology *env_cpu_topology(const struct env *env,
									 __u32 cpu);
static __always_inline const struct donor_domain_topology *
env_domain_topology(const struct env *env, __u32 domain);
static __always_inline struct donor_domain *env_domain(const struct env *env, __u32 domain);

/* The task. */
static __always_inline bool env_task_pinned(const struct env *env); /* may not leave its CPU */
/* Its mask has the CPU, which is online; has all CPUs of the domain; some CPU that may run it. */
static __always_inline bool env_task_allowed(const struct env *env, __s32 cpu);
static __always_inline bool env_task_covers(const struct env *env, __u32 domain);
static __always_inline __s32 env_task_any_cpu(const struct env *env);

/*
 * Idle CPUs. A claim is exclusive until the CPU next goes idle, so who claims must use. All look
 * only at CPUs that may run the task.
 */
static __always_inline bool env_core_is_idle(const struct env *env, __s32 cpu); /* hint */
static __always_inline bool env_core_is_shared(const struct env *env, __s32 cpu); /* hint */
static __always_inline bool env_claim(const struct env *env, __s32 cpu);
static __always_inline __s32 env_claim_core(const struct env *env, __u32 domain);
static __always_inline __s32 env_claim_thread(const struct env *env, __u32 domain);

/* Queues, at dispatch only. */
static __always_inline bool env_take_from_domain(const struct env *env, __u32 domain);

/* for (i = from; i < to; i++), in a form that the verifier accepts: env_for(i, from, to) { } */
