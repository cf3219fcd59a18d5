/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/password-agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/cleanup.h"

#define READY_TIMEOUT_MS (10 * 1000)

struct password_agent {
	pid_t pid;
};

/* Between fork and exec of a program that only closes ready_fd when it has registered itself. */
static void run_agent(int ready_fd, pid_t parent)
{
	char fd_text[16];

	/* it must not outlive donorctl, and donorctl may be gone already */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
		_exit(EXIT_FAILURE);
	/* where donorctl prints may be a file: the agent opens /dev/tty by itself */
	(void)snprintf(fd_text, sizeof(fd_text), "%d", ready_fd);
	if (fcntl(ready_fd, F_SETFD, 0) < 0)
		_exit(EXIT_FAILURE);
	/* --fallback: a desktop's own agent goes first */
	execlp("pkttyagent", "pkttyagent", "--notify-fd", fd_text, "--fallback", NULL);
	_exit(EXIT_FAILURE);
}

static int spawn(int ready_fd, pid_t *ret)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		run_agent(ready_fd, parent);
	*ret = pid;
	return 0;
}

static int wait_until_ready(int ready_fd)
{
	struct pollfd hang_up = { .fd = ready_fd };
	int r;

	do
		r = poll(&hang_up, 1, READY_TIMEOUT_MS);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return -ETIMEDOUT;
	return r < 0 ? -errno : 0;
}

int password_agent_new(struct password_agent **ret)
{
	_cleanup_(closep) int ready_fd = -1, agent_fd = -1;
	struct password_agent *agent;
	int fds[2], r;

	if (geteuid() == 0)
		return -EALREADY;
	if (!isatty(STDIN_FILENO))
		return -ENOTTY;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	ready_fd = fds[0];
	agent_fd = fds[1];
	agent = calloc(1, sizeof(*agent));
	if (!agent)
		return -ENOMEM;
	r = spawn(agent_fd, &agent->pid);
	close(steal_fd(agent_fd)); /* so that the agent's is the last one */
	if (r >= 0)
		r = wait_until_ready(ready_fd);
	if (r < 0) {
		password_agent_free(agent);
		return r;
	}
	*ret = agent;
	return 0;
}

struct password_agent *password_agent_free(struct password_agent *agent)
{
	if (!agent)
		return NULL;
	if (agent->pid > 0) {
		(void)kill(agent->pid, SIGTERM);
		(void)kill(agent->pid, SIGCONT); /* if it was stopped at the terminal */
		while (waitpid(agent->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(agent);
	return NULL;
}
