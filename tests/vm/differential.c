/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * differential OBJECT [SEED [CASES]]: ask policy the same random questions as the kernel runs it,
 * in OBJECT, and as it is built here. Exits with 1 if an answer differs, with 3 if the cases did
 * not reach all that they should, with 2 if it could not ask.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/vm/differential-case.h"

enum {
	DEFAULT_SEED = 1,
	DEFAULT_CASES = 4000,
	MAX_SHOWN = 3,
	MAX_EXITS = 16,
};

static const struct decision {
	const char *name;
	__u64 exits; /* that must occur */
	void (*ask)(struct decision_case *c);
} decisions[] = {
#define DECISION(name, exits, ...) { #name, exits, ask_##name },
#include "tests/vm/differential.def"
#undef DECISION
};

struct kernel_side {
	struct bpf_object *object;
	struct decision_case *c; /* the map's only value */
};

/* What came of the cases of a decision. */
struct outcome {
	int nr_traces; /* cases in which anything changed */
	int nr_differ;
	int nr_exits[MAX_EXITS];
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

static void compare_case(const struct kernel_side *side, int fd, const struct decision *decision,
			 __u64 seed, struct outcome *outcome)
{
	static struct decision_case asked, host;

	make_case(seed, &asked);
	memcpy(&host, &asked, sizeof(host));
	memcpy(side->c, &asked, sizeof(asked));
	decision->ask(&host);
	run_in_kernel(fd);
	if (host.answers[0] < MAX_EXITS)
		outcome->nr_exits[host.answers[0]]++;
	outcome->nr_traces += memcmp(&asked, &host, sizeof(host)) != 0;
	if (memcmp(&host, side->c, sizeof(host)) && outcome->nr_differ++ < MAX_SHOWN)
		show(decision->name, seed, &host, side->c);
}

/* How many exits did not occur that should. The numbers are those of the decision's enum. */
static int report_exits(const struct decision *decision, const struct outcome *outcome)
{
	int nr_missing = 0;

	for (int exit = 0; exit < MAX_EXITS; exit++) {
		if (!(decision->exits & EXIT(exit)))
			continue;
		printf(" %d:%d", exit, outcome->nr_exits[exit]);
		nr_missing += !outcome->nr_exits[exit];
	}
	return nr_missing;
}

static struct outcome compare(const struct kernel_side *side, const struct decision *decision,
			      __u64 seed, int nr_cases)
{
	struct outcome outcome = {};
	int fd = program_fd(side, decision->name);

	for (int i = 0; i < nr_cases; i++)
		compare_case(side, fd, decision, seed + i, &outcome);
	return outcome;
}

int main(int argc, char **argv)
{
	__u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_SEED;
	int nr_cases = argc > 3 ? atoi(argv[3]) : DEFAULT_CASES;
	int nr_differ = 0, nr_missing = 0;
	struct kernel_side side;

	if (argc < 2)
		return 2;
	side = load(argv[1]);
	printf("cases of seeds from %llu\n", seed);
	for (size_t i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++) {
		const struct decision *decision = &decisions[i];
		struct outcome outcome = compare(&side, decision, seed, nr_cases);

		printf("%s: %d cases, %d left a trace, exits", decision->name, nr_cases,
		       outcome.nr_traces);
		nr_missing += report_exits(decision, &outcome) + !outcome.nr_traces;
		nr_differ += outcome.nr_differ;
		printf(", %d differ\n", outcome.nr_differ);
	}
	bpf_object__close(side.object);
	return nr_differ ? 1 : nr_missing ? 3 : 0;
}
