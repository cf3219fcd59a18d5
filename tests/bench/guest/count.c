/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count COMMAND...: run it, and print how many nanoseconds that took. Its own output is dropped.
 * Where a nanosecond is an instruction (vm run --icount), it counts instructions.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	_exit(EXIT_FAILURE);
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static __attribute__((noreturn)) void become(char **command)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		die("count: /dev/null");
	execvp(command[0], command);
	die(command[0]);
}

int main(int argc, char **argv)
{
	long long start_ns = now_ns();
	pid_t child;
	int status;

	if (argc < 2)
		return EXIT_FAILURE;
	child = fork();
	if (child < 0)
		die("count: fork");
	if (child == 0)
		become(argv + 1);
	if (waitpid(child, &status, 0) < 0)
		die("count: wait");
	if (status)
		return EXIT_FAILURE;
	printf("%lld\n", now_ns() - start_ns);
	return EXIT_SUCCESS;
}
