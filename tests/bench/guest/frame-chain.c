/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-chain [--pin LIST] COMMAND...: run COMMAND beside a browser that draws 60 pictures a
 * second: script, then GPU process, then compositor, each in a process of its own. They end with
 * COMMAND, whose status is ours.
 */

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/guest/cpus.h"
#include "tests/bench/guest/model.h"
#include "tests/bench/guest/work.h"

enum {
	NR_STAGES = 3,
	PERIOD_NS = 16666667,
	FIRST_NUMBER = MODEL_WORKERS - NR_STAGES, /* above those of COMMAND */
};

/* As tests/sim/workloads/webgl-aquarium.json has them. */
static const __u64 stage_ns[NR_STAGES] = { 7000000, 5500000, 3000000 };

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "frame-chain: ");
	perror(what);
	exit(EXIT_FAILURE);
}

/* Until the next beat; who is late begins at once, and skips the beats that are over. */
static void wait_for_beat(struct timespec *beat)
{
	struct timespec now;

	beat->tv_nsec += PERIOD_NS;
	if (beat->tv_nsec >= 1000000000) {
		beat->tv_nsec -= 1000000000;
		beat->tv_sec++;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec > beat->tv_sec || (now.tv_sec == beat->tv_sec && now.tv_nsec > beat->tv_nsec))
		*beat = now;
	else
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, beat, NULL);
}

/* The first stage follows the clock, each other one the stage before it. */
static __attribute__((noreturn)) void draw(int stage, int in, int out)
{
	struct timespec beat;
	char frame = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	clock_gettime(CLOCK_MONOTONIC, &beat);
	work_begin((unsigned int)(FIRST_NUMBER + stage));
	for (;;) {
		if (stage == 0)
			wait_for_beat(&beat);
		else if (read(in, &frame, 1) != 1)
			die("read");
		work_for(stage_ns[stage]);
		if (stage < NR_STAGES - 1 && write(out, &frame, 1) != 1)
			die("write");
	}
}

static void start(pid_t pids[NR_STAGES])
{
	int pipes[NR_STAGES][2]; /* into each stage; nobody writes into the first */

	for (int i = 0; i < NR_STAGES; i++)
		if (pipe(pipes[i]) < 0)
			die("pipe");
	for (int i = 0; i < NR_STAGES; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (pids[i] == 0)
			draw(i, pipes[i][0], pipes[(i + 1) % NR_STAGES][1]);
	}
	for (int i = 0; i < NR_STAGES; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static int run(char **command)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child == 0) {
		execvp(command[0], command);
		die(command[0]);
	}
	if (waitpid(child, &status, 0) < 0)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether they all were still at it. */
static bool end(const pid_t pids[NR_STAGES])
{
	bool drew = true;

	for (int i = 0; i < NR_STAGES; i++) {
		int status;

		kill(pids[i], SIGTERM);
		drew &= waitpid(pids[i], &status, 0) == pids[i] && WIFSIGNALED(status) &&
			WTERMSIG(status) == SIGTERM;
	}
	return drew;
}

int main(int argc, char **argv)
{
	static const struct option table[] = { { "pin", required_argument, NULL, 'p' }, {} };
	const char *pin = NULL;
	pid_t pids[NR_STAGES];
	int c, status;

	while ((c = getopt_long(argc, argv, "+", table, NULL)) >= 0) {
		if (c != 'p')
			return EXIT_FAILURE;
		pin = optarg;
	}
	errno = EINVAL;
	if (optind == argc)
		die("it needs a command");
	if (cpus_bind(pin) < 0)
		die("--pin");
	start(pids);
	cpus_bind(NULL);
	status = run(argv + optind);
	if (!end(pids) && status == 0) {
		fputs("frame-chain: a stage ended too early\n", stderr);
		status = EXIT_FAILURE;
	}
	return status;
}
