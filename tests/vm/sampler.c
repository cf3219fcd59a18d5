/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler NAME: read every millisecond which scheduler the kernel runs, until a signal comes.
 * Prints as JSON how many samples it took, how many did not say NAME, and what the last of these
 * said. Runs before all other tasks: started with SCHED_FIFO, it is not a task of the scheduler in
 * question.
 */

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = 1;
}

static void read_name(char *buf, size_t size)
{
	int fd = open("/sys/kernel/sched_ext/root/ops", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	buf[n < 0 ? 0 : n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct sched_param priority = { .sched_priority = 10 };
	unsigned long samples = 0, others = 0;
	char name[64], other[64] = "";

	if (argc != 2 || sched_setscheduler(0, SCHED_FIFO, &priority) < 0) {
		perror("sampler");
		return 2;
	}
	signal(SIGTERM, on_signal);
	puts("ready");
	fflush(stdout);
	for (; !ended; samples++) {
		read_name(name, sizeof(name));
		if (strcmp(name, argv[1]) != 0) {
			others++;
			strcpy(other, name);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000 * 1000 }, NULL);
	}
	printf("{\"samples\": %lu, \"others\": %lu, \"other\": \"%s\"}\n", samples, others, other);
	return 0;
}
