/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * differential OBJECT [SEED [CASES]]: ask policy the same random questions as the kernel runs it,
 * in OBJECT, and as it is built here. Exits with 1 if an answer differs.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/vm/differential.h"

enum {
	DEFAULT_SEED = 1,
	DEFAULT_CASES = 2000,
	MAX_SHOWN = 3,
};

#define DECISION(name, statements...)                                                              \
	static void decide_##name(struct decision_case *c)                                         \
	{                                                                                          \
		struct env *env = &c->env;                                                         \
                                                                                                   \
		statements;                                                                        \
	}
#include "tests/vm/differential.def"
#undef DECISION

static const struct decision {
	const char *name;
	void (*decide)(struct decision_case *c);
} decisions[] = {
#define DECISION(name, ...) { #name, decide_##name },
#include "tests/vm/differential.def"
#undef DECISION
};

/* splitmix64: any seed will do, also neighbours. */
static __u64 random_u64(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Within [low, high]. */
static __u64 random_between(__u64 *state, __u64 low, __u64 high)
{
	return low + random_u64(state) % (high - low + 1);
}

static bool one_in(__u64 *state, __u64 n)
{
	return !(random_u64(state) % n);
}

/* Of every magnitude, with the ends of the range among them. */
static __u64 random_number(__u64 *state)
{
	return random_u64(state) >> random_between(state, 0, 63);
}

/* Near the middle one, the way round the end of the range included. */
static __u64 random_near(__u64 *state, __u64 middle)
{
	return middle + (__u64)((__s64)random_u64(state) >> random_between(state, 24, 63));
}

static void make_params(__u64 *state, struct donor_params *params)
{
#define KNOB(name, unit, minimum, maximum, ...)                                                    \
	params->name = random_between(state, minimum, maximum);
#include "bpf/knobs.def"
#undef KNOB
	if (!one_in(state, 4)) {
		params->donate_min_run_ns = random_between(state, 0, 5000000);
		params->donate_cooldown_ns = random_between(state, 0, 5000000);
	}
}

static void make_cpus(__u64 *state, struct env *env)
{
	static const __u8 shares[] = { 0, 1, 4,
				       8 }; /* of CPUs that are idle or allowed, in eighths */
	__u64 idle = shares[random_between(state, 0, 3)];
	__u64 allowed = one_in(state, 2) ? 8 : shares[random_between(state, 0, 3)];
	__u32 per_domain;

	env->nr_threads = (__u32)random_between(state, 1, 2);
	env->nr_domains = (__u32)random_between(state, 1, CASE_DOMAINS);
	per_domain = CASE_CPUS / CASE_DOMAINS / env->nr_threads * env->nr_threads;
	env->nr_cpus = env->nr_domains * per_domain;
	for (__u32 cpu = 0; cpu < env->nr_cpus; cpu++) {
		env->cpus[cpu].domain = (__u16)(cpu / per_domain);
		env->cpus[cpu].core = (__u16)(cpu - cpu % env->nr_threads);
		env->cpus[cpu].nr_threads = (__u16)env->nr_threads;
		env->idle[cpu] = random_between(state, 0, 7) < idle;
		env->allowed[cpu] = random_between(state, 0, 7) < allowed;
	}
}

/* The hints need not be true. */
static void make_domains(__u64 *state, struct env *env)
{
	__u32 last = env->nr_domains - 1;

	for (__u32 d = 0; d < env->nr_domains; d++) {
		struct donor_domain_topology *t = &env->topology[d];
		struct donor_domain *domain = &env->domains[d];

		t->kind = (__u16)random_between(state, 0, 2);
		t->distance_end[0] = (__u16)random_between(state, 0, last);
		t->distance_end[1] = (__u16)random_between(state, t->distance_end[0], last);
		t->distance_end[2] = (__u16)last;
		for (__u32 i = 0; i < last; i++)
			t->neighbours[i] = (__u8)((d + 1 + i) % env->nr_domains);
		domain->nr_idle_cores = (__u32)random_between(state, 0, 2);
		domain->nr_idle_cpus = (__u32)random_between(state, 0, 2);
		domain->nr_online = (__u32)random_between(state, 0, 4);
		domain->last_idle_cpu = (__u32)random_between(state, 0, env->nr_cpus - 1);
		domain->nr_queued = one_in(state, 2) ? 0 : random_number(state);
		domain->vtime_ns = random_number(state);
	}
}

static void make_task(__u64 *state, struct env *env)
{
	struct donor_task *task = &env->task;

	/* Every field of it first; then what must make sense. */
	for (__u8 *byte = (__u8 *)task; byte < (__u8 *)(task + 1); byte++)
		*byte = (__u8)random_u64(state);
	env->now_ns = random_number(state);
	env->pinned = one_in(state, 8);
	task->domain = (__u16)random_between(state, 0, env->nr_domains); /* one too many */
	task->vtime_ns = random_near(state, env->domains[task->domain % env->nr_domains].vtime_ns);
	task->avg_run_ns = random_number(state);
	task->run_ns = random_number(state);
	task->donated_at_ns = one_in(state, 2) ? 0 : random_near(state, env->now_ns);
	task->replaced_at_ns = random_near(state, env->now_ns);
	task->nr_runs = (__u16)random_between(state, 0, TASK_FRESH_RUNS);
}

static void make_case(__u64 seed, struct decision_case *c)
{
	__u64 state = seed;

	memset(c, 0, sizeof(*c));
	make_params(&state, &c->env.params);
	make_cpus(&state, &c->env);
	make_domains(&state, &c->env);
	make_task(&state, &c->env);
	c->hook = (__u32)random_between(&state, 0, _DONOR_HOOK_MAX - 1);
	c->need = (__u32)random_between(&state, 0, 1);
	c->cpu = (__s32)random_between(&state, 0, c->env.nr_cpus) - one_in(&state, 16);
	c->domain = (__u32)random_between(&state, 0, c->env.nr_domains - !one_in(&state, 16));
	c->number[0] = random_near(&state, c->env.task.charged_ns);
	c->number[1] = one_in(&state, 4) ? random_number(&state) : random_between(&state, 0, 10000);
}

struct kernel_side {
	struct bpf_object *object;
	struct decision_case *c; /* the map's only value */
};

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(2);
}

static struct kernel_side load(const char *path)
{
	struct kernel_side side = { .object = bpf_object__open(path) };
	int fd;

	if (!side.object || bpf_object__load(side.object) < 0)
		die(path);
	fd = bpf_object__find_map_fd_by_name(side.object, "decision");
	side.c = mmap(NULL, sizeof(*side.c), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (side.c == MAP_FAILED)
		die("mmap");
	return side;
}

static int program_fd(const struct kernel_side *side, const char *decision)
{
	char name[64];
	struct bpf_program *program;

	snprintf(name, sizeof(name), "decide_%s", decision);
	program = bpf_object__find_program_by_name(side->object, name);
	if (!program)
		die(name);
	return bpf_program__fd(program);
}

static void run_in_kernel(int fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (bpf_prog_test_run_opts(fd, &options) < 0 || options.retval)
		die("BPF_PROG_RUN");
}

static size_t first_difference(const struct decision_case *a, const struct decision_case *b)
{
	size_t i = 0;

	while (((const char *)a)[i] == ((const char *)b)[i])
		i++;
	return i;
}

static void show(const char *decision, __u64 seed, const struct decision_case *host,
		 const struct decision_case *kernel)
{
	printf("%s: seed %llu differs from byte %zu on; host and kernel answer", decision, seed,
	       first_difference(host, kernel));
	for (int i = 0; i < CASE_ANSWERS; i++)
		printf(" %lld/%lld", host->answers[i], kernel->answers[i]);
	printf("\n");
}

/* How many cases differ. A case is named by its own seed. */
static int compare(const struct kernel_side *side, const struct decision *decision, __u64 seed,
		   int nr_cases)
{
	int fd = program_fd(side, decision->name);
	int nr_changed = 0, nr_differ = 0;
	__u64 kinds = 0; /* of first answers; the small ones are exits of a decision */

	for (__u64 s = seed; s < seed + nr_cases; s++) {
		static struct decision_case asked, host;

		make_case(s, &asked);
		host = asked;
		*side->c = asked;
		decision->decide(&host);
		run_in_kernel(fd);
		kinds |= 1ULL << (host.answers[0] < 63 ? host.answers[0] : 63);
		nr_changed += memcmp(&asked, &host, sizeof(host)) != 0;
		if (memcmp(&host, side->c, sizeof(host)) && nr_differ++ < MAX_SHOWN)
			show(decision->name, s, &host, side->c);
	}
	printf("%s: %d cases, %d left a trace, %d kinds of answers, %d differ\n", decision->name,
	       nr_cases, nr_changed, __builtin_popcountll(kinds), nr_differ);
	return nr_differ;
}

int main(int argc, char **argv)
{
	__u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_SEED;
	int nr_cases = argc > 3 ? atoi(argv[3]) : DEFAULT_CASES;
	struct kernel_side side;
	int nr_differ = 0;

	if (argc < 2)
		return 2;
	side = load(argv[1]);
	printf("cases of seeds from %llu\n", seed);
	for (size_t i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++)
		nr_differ += compare(&side, &decisions[i], seed, nr_cases);
	bpf_object__close(side.object);
	return nr_differ ? 1 : 0;
}
