/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * One case of the differential test: a machine as a table, a question, the answers. The same bytes
 * are given to policy as the kernel runs it and as the host compiler builds it, and must be the
 * same bytes afterwards.
 */

#include "tests/vm/differential-env.h"

#ifdef DIFFERENTIAL_BREAK /* one gate of the BPF side upside down, which must be noticed */
#define task_is_fresh(task) (!task_is_fresh(task))
#endif

#include "bpf/policy/pass.h"
#include "bpf/policy/scheduler.h"

enum {
	CASE_ANSWERS = 4,
};

struct decision_case {
	struct env env;
	__u64 number[2];
	__u32 hook;
	__u32 need;
	__s32 cpu; /* may be one that the machine does not have, as may the domain */
	__u32 domain;
	__u64 answers[CASE_ANSWERS];
	__u8 flag;
	__u8 reserved[7];
};

static __always_inline void answer_placement(struct decision_case *c, struct placement placement)
{
	c->answers[0] = placement.exit;
	c->answers[1] = placement.donation;
	c->answers[2] = placement.cpu;
	c->answers[3] = placement.claimed;
}

/* Exits that must occur, one bit each: those below a number, and single ones. */
#define BELOW(nr) ((1ULL << (nr)) - 1)
#define EXIT(nr) (1ULL << (nr))

#define DECISION(name, exits, statements...)                                                       \
	static __always_inline void ask_##name(struct decision_case *c)                            \
	{                                                                                          \
		struct env *env = &c->env;                                                         \
		__attribute__((unused)) struct donor_cpu *state = env_cpu(env, c->cpu);            \
		__attribute__((unused)) struct donor_domain *d = env_domain(env, c->domain);       \
                                                                                                   \
		statements;                                                                        \
	}
#include "tests/vm/differential.def"
#undef DECISION
