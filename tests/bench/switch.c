/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch [--cpus LIST:LIST] [--trips N]: two processes hand a byte back and forth over two pipes.
 * Prints as JSON the nanoseconds per hand-over, and the share of hand-overs from one CPU to
 * another. Where a nanosecond is an instruction (vm run --icount), it counts instructions.
 *
 * A hand-over is what one wakeup costs: a write, a read that blocks, and the switch in between.
 */

#include <errno.h>
#include <getopt.h>
#include <hwloc.h>
#include <json-c/json.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WARM_UP_TRIPS = 500,
};

struct options {
	char *cpus[2]; /* where each side may run, NULL is anywhere */
	int nr_trips;
};

/* One process. The byte is the CPU that its sender ran on. */
struct side {
	int in;
	int out;
	long nr_crossed;
};

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void send_byte(const struct side *side)
{
	unsigned char cpu = (unsigned char)sched_getcpu();

	if (write(side->out, &cpu, 1) != 1)
		die("switch: write");
}

/* False: the other side is gone. */
static bool receive_byte(struct side *side)
{
	unsigned char cpu;
	ssize_t n = read(side->in, &cpu, 1);

	if (n < 0)
		die("switch: read");
	side->nr_crossed += cpu != (unsigned char)sched_getcpu();
	return n == 1;
}

static void bind_to(const char *list)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	cpu_set_t set;
	unsigned int cpu;

	if (!list)
		return;
	if (!cpus || hwloc_bitmap_list_sscanf(cpus, list) < 0)
		die("switch: --cpus");
	CPU_ZERO(&set);
	hwloc_bitmap_foreach_begin(cpu, cpus) CPU_SET(cpu, &set);
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(cpus);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		die("switch: --cpus");
}

static __attribute__((noreturn)) void answer(struct side *side, const char *cpus)
{
	bind_to(cpus);
	while (receive_byte(side))
		send_byte(side);
	exit(EXIT_SUCCESS);
}

/* Start the other process; it ends when our end of its pipe is closed. */
static struct side start_partner(const char *cpus)
{
	int there[2], back[2];

	if (pipe(there) < 0 || pipe(back) < 0)
		die("switch: pipe");
	switch (fork()) {
	case -1:
		die("switch: fork");
	case 0:
		close(there[1]);
		close(back[0]);
		answer(&(struct side){ .in = there[0], .out = back[1] }, cpus);
	}
	close(there[0]);
	close(back[1]);
	return (struct side){ .in = back[0], .out = there[1] };
}

static void trip(struct side *side, int nr_trips)
{
	for (int i = 0; i < nr_trips; i++) {
		send_byte(side);
		if (!receive_byte(side))
			die("switch: the partner is gone");
	}
}

static struct json_object *measure(const struct options *options)
{
	struct json_object *result = json_object_new_object();
	struct side side = start_partner(options->cpus[1]);
	double nr = options->nr_trips;
	long start_ns, took_ns;

	bind_to(options->cpus[0]);
	trip(&side, WARM_UP_TRIPS);
	side.nr_crossed = 0;
	start_ns = now_ns();
	trip(&side, options->nr_trips);
	took_ns = now_ns() - start_ns;
	close(side.out);
	wait(NULL);
	json_object_object_add(result, "took_ns", json_object_new_double((double)took_ns / nr / 2));
	json_object_object_add(result, "crossed",
			       json_object_new_double((double)side.nr_crossed / nr));
	return result;
}

static struct options parse(int argc, char **argv)
{
	static const struct option table[] = {
		{ "cpus", required_argument, NULL, 'c' },
		{ "trips", required_argument, NULL, 't' },
		{},
	};
	struct options options = { .nr_trips = 3000 };
	int c;

	while ((c = getopt_long(argc, argv, "", table, NULL)) >= 0) {
		if (c == 'c') {
			options.cpus[0] = strtok(optarg, ":");
			options.cpus[1] = strtok(NULL, ":");
		} else if (c == 't') {
			options.nr_trips = atoi(optarg);
		} else {
			exit(EXIT_FAILURE);
		}
	}
	if (options.nr_trips <= 0) {
		fprintf(stderr, "switch: --trips is a number above 0\n");
		exit(EXIT_FAILURE);
	}
	return options;
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	struct json_object *result = measure(&options);

	puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PLAIN));
	json_object_put(result);
	return EXIT_SUCCESS;
}
