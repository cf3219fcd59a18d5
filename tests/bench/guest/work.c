/* SPDX-License-Identifier: GPL-2.0-only */

#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/guest/model.h"
#include "tests/bench/guest/work.h"

enum {
	PATIENCE_MS = 1000,
};

/* Without a model a nanosecond is so many turns of a loop: work that does not depend on any clock. */
static const double LOOPS_PER_NS = 0.05;

static const struct model_worker *self;

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000ULL + (__u64)now.tv_nsec;
}

/*
 * The tracer hears of a name before the task has it. Who loses its CPU in between gets it back as
 * nobody, and is known from the next time on.
 */
static void wait_to_be_seen(const char *name)
{
	for (int i = 0; __atomic_load_n(&self->speed, __ATOMIC_ACQUIRE) == 0; i++) {
		if (i == PATIENCE_MS) {
			fprintf(stderr, "work: the tracer does not see %s run\n", name);
			exit(EXIT_FAILURE);
		}
		usleep(1000);
	}
}

void work_begin(unsigned int number)
{
	const char *fd = getenv(WORK_MODEL_FD);
	const struct model *model;
	char name[16];

	snprintf(name, sizeof(name), "bench-%02u", number);
	if (number == 0 || number >= MODEL_WORKERS || prctl(PR_SET_NAME, name) < 0)
		die("work: number");
	if (!fd)
		return;
	model = mmap(NULL, sizeof(*model), PROT_READ, MAP_SHARED, atoi(fd), 0);
	if (model == MAP_FAILED)
		die("work: model");
	self = &model->workers[number];
	wait_to_be_seen(name);
}

/* Work done until this moment, times MODEL_FULL. The tracer may write meanwhile: the sibling does. */
static __u64 done_until_now(void)
{
	for (;;) {
		__u32 seq = __atomic_load_n(&self->seq, __ATOMIC_ACQUIRE);
		__u64 done = __atomic_load_n(&self->done, __ATOMIC_RELAXED);
		__u64 since_ns = __atomic_load_n(&self->since_ns, __ATOMIC_RELAXED);
		__u32 speed = __atomic_load_n(&self->speed, __ATOMIC_RELAXED);
		__u64 now = now_ns();

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (seq % 2 == 0 && seq == __atomic_load_n(&self->seq, __ATOMIC_RELAXED))
			return done + (now > since_ns ? (now - since_ns) * speed : 0);
	}
}

static void spin(__u64 loops)
{
	for (volatile __u64 i = 0; i < loops;)
		i = i + 1;
}

/*
 * For 16 us of a machine where an instruction takes a nanosecond: an emulator has nothing to do for
 * these, so such a machine passes the time of a busy CPU quickly.
 */
static void pass(void)
{
	asm volatile(".rept 16000; nop; .endr");
}

/*
 * A CPU of an emulated machine may stand still at any time, and when it goes on, more is done than
 * was asked for. That counts for what comes next.
 */
void work_for(__u64 ns)
{
	static __u64 ahead;
	__u64 work = ns * MODEL_FULL, enough, done;

	if (!self) {
		spin((__u64)((double)ns * LOOPS_PER_NS));
		return;
	}
	if (ahead >= work) {
		ahead -= work;
		return;
	}
	enough = done_until_now() + work - ahead;
	while ((done = done_until_now()) < enough)
		pass();
	ahead = done - enough;
}
