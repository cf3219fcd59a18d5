/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bank-queue: workers that ask a manager for chunks of work, as the MCE library for Perl has it:
 * processes, one pipe for all requests, eight channels for answers. Who shares a channel waits for
 * its token. The manager is the parent. Prints as JSON how long all took.
 */

#include <getopt.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/guest/cpus.h"
#include "tests/bench/guest/work.h"

enum {
	NR_CHANNELS = 8,
	NO_CHUNK = -1,
	START_STEP_US = 1000, /* MCE starts its workers one by one */
};

struct options {
	int nr_workers;
	int nr_chunks;
	int chunk_us;
	int jitter_pct;
	const char *born; /* CPUs where workers are forked; then they may run anywhere */
	const char *pin; /* one CPU for each worker */
};

/* What workers write: they want a chunk, or have done one. Short enough to arrive whole. */
struct message {
	int channel;
	bool is_result;
};

struct channel {
	int token[2]; /* holds one byte while nobody asks */
	int answer[2];
};

struct queue {
	int requests[2];
	struct channel channels[NR_CHANNELS];
	int nr_given;
	int nr_done;
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "bank-queue: ");
	perror(what);
	exit(EXIT_FAILURE);
}

static __attribute__((noreturn)) void complain(const char *what)
{
	fprintf(stderr, "bank-queue: %s\n", what);
	exit(EXIT_FAILURE);
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void put(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		die("write");
}

/* False at the end. */
static bool get(int fd, void *data, size_t size)
{
	ssize_t n = read(fd, data, size);

	if (n != 0 && n != (ssize_t)size)
		die("read");
	return n != 0;
}

static struct queue open_queue(void)
{
	struct queue queue = {};

	if (pipe(queue.requests) < 0)
		die("pipe");
	for (int i = 0; i < NR_CHANNELS; i++) {
		struct channel *channel = &queue.channels[i];

		if (pipe(channel->token) < 0 || pipe(channel->answer) < 0)
			die("pipe");
		put(channel->token[1], "", 1);
	}
	return queue;
}

/* The number of the next chunk; blocks until the manager has answered. */
static int ask(const struct queue *queue, int channel)
{
	const struct channel *own = &queue->channels[channel];
	char token;
	int chunk;

	get(own->token[0], &token, 1);
	put(queue->requests[1], &(struct message){ .channel = channel }, sizeof(struct message));
	get(own->answer[0], &chunk, sizeof(chunk));
	put(own->token[1], &token, 1);
	return chunk;
}

/* Chunk n takes the same time in every run. The mix is that of splitmix64. */
static __u64 chunk_ns(const struct options *options, int chunk)
{
	__u64 x = ((__u64)chunk + 1) * 0x9e3779b97f4a7c15ULL;
	double jitter;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	jitter = (double)((x ^ (x >> 31)) >> 11) / (double)(1ULL << 52) - 1;
	return (__u64)(options->chunk_us * 1e3 * (1 + jitter * options->jitter_pct / 100));
}

static __attribute__((noreturn)) void labour(const struct queue *queue,
					     const struct options *options, int number)
{
	int channel = number % NR_CHANNELS, chunk;

	if ((options->pin ? cpus_bind_nth(options->pin, number) : cpus_bind(NULL)) < 0)
		complain("--pin is a list of CPUs, such as 0,2,4,6");
	work_begin((unsigned int)number + 1);
	while ((chunk = ask(queue, channel)) != NO_CHUNK) {
		work_for(chunk_ns(options, chunk));
		put(queue->requests[1], &(struct message){ .channel = channel, .is_result = true },
		    sizeof(struct message));
	}
	exit(EXIT_SUCCESS);
}

static void start_workers(const struct queue *queue, const struct options *options)
{
	if (options->born && cpus_bind(options->born) < 0)
		complain("--born is a list of CPUs, such as 0-3");
	for (int i = 0; i < options->nr_workers; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (child == 0)
			labour(queue, options, i);
		usleep(START_STEP_US);
	}
	cpus_bind(NULL);
	close(queue->requests[1]);
}

/* Until the last worker has gone, and with it the other end of the pipe. */
static void manage(struct queue *queue, int nr_chunks)
{
	struct message message;

	while (get(queue->requests[0], &message, sizeof(message))) {
		int chunk = queue->nr_given < nr_chunks ? queue->nr_given : NO_CHUNK;

		if (message.is_result) {
			queue->nr_done++;
			continue;
		}
		queue->nr_given += chunk != NO_CHUNK;
		put(queue->channels[message.channel].answer[1], &chunk, sizeof(chunk));
	}
}

static void reap(int nr_workers)
{
	for (int status, i = 0; i < nr_workers; i++)
		if (wait(&status) < 0 || status != 0)
			complain("a worker failed");
}

static int number(const char *text, int least)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || n < least || n > 1000000000)
		complain("a number is wrong");
	return (int)n;
}

static struct options parse(int argc, char **argv)
{
	static const struct option table[] = {
		{ "workers", required_argument, NULL, 'w' },
		{ "chunks", required_argument, NULL, 'n' },
		{ "chunk-us", required_argument, NULL, 'c' },
		{ "jitter-pct", required_argument, NULL, 'j' },
		{ "born", required_argument, NULL, 'b' },
		{ "pin", required_argument, NULL, 'p' },
		{},
	};
	struct options options = { .nr_workers = 4, .nr_chunks = 100, .chunk_us = 20000 };
	int c;

	while ((c = getopt_long(argc, argv, "", table, NULL)) >= 0) {
		if (c == 'w')
			options.nr_workers = number(optarg, 1);
		else if (c == 'n')
			options.nr_chunks = number(optarg, 1);
		else if (c == 'c')
			options.chunk_us = number(optarg, 1);
		else if (c == 'j')
			options.jitter_pct = number(optarg, 0);
		else if (c == 'b')
			options.born = optarg;
		else if (c == 'p')
			options.pin = optarg;
		else
			exit(EXIT_FAILURE);
	}
	return options;
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	struct json_object *result = json_object_new_object();
	struct queue queue = open_queue();
	long long start_ns = now_ns();

	start_workers(&queue, &options);
	manage(&queue, options.nr_chunks);
	reap(options.nr_workers);
	json_object_object_add(result, "took_ns", json_object_new_int64(now_ns() - start_ns));
	json_object_object_add(result, "chunks", json_object_new_int(queue.nr_done));
	puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PLAIN));
	return queue.nr_done == options.nr_chunks ? EXIT_SUCCESS : EXIT_FAILURE;
}
