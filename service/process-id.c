/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "service/cleanup.h"
#include "service/process-id.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* since Linux 6.9 */
#endif

static bool has_own_inode(int pidfd)
{
	struct statfs fs;

	return fstatfs(pidfd, &fs) == 0 && fs.f_type == PID_FS_MAGIC;
}

struct process_id process_id_of(int pidfd)
{
	pid_t pid = pidfd_getpid(pidfd);
	int flags = fcntl(pidfd, F_GETFL);
	struct stat st;

	if (pid <= 0 || flags < 0 || !has_own_inode(pidfd) || fstat(pidfd, &st) < 0)
		return (struct process_id){};
	return (struct process_id){ pid, (unsigned)flags & PIDFD_THREAD, st.st_ino };
}

/* One that nobody has waited for yet can be opened still. */
static bool has_ended(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) != 0;
}

int process_id_open(const struct process_id *id)
{
	_cleanup_(closep) int fd = -1;
	struct stat st;

	if (id->pid == 0)
		return -ESRCH;
	fd = pidfd_open(id->pid, id->flags);
	if (fd < 0) /* a thread has the pid now: EINVAL, or ENOENT since Linux 6.15 */
		return errno == EINVAL || errno == ENOENT ? -ESRCH : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_ino != id->inode || has_ended(fd))
		return -ESRCH;
	return steal_fd(fd);
}
