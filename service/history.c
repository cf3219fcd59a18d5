/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "service/history.h"

#define FILE_NAME "exits"

enum { VERSION = 1 };

static const uint64_t layout = (uint64_t)sizeof(struct history) << 8 | VERSION;

static int map(struct history **ret, int flags, int fd)
{
	void *address = mmap(NULL, sizeof(struct history), PROT_READ | PROT_WRITE, flags, fd, 0);

	if (address == MAP_FAILED)
		return -errno;
	*ret = address;
	return 0;
}

static int map_file(struct history **ret, const char *directory)
{
	_cleanup_(closep) int fd = -1;
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/" FILE_NAME, directory);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	/* Room for all of it now: a full file system must not be found out by SIGBUS. */
	if (ftruncate(fd, sizeof(struct history)) < 0 ||
	    posix_fallocate(fd, 0, sizeof(struct history)) != 0)
		return -ENOSPC;
	return map(ret, MAP_SHARED, fd);
}

/* The one before us may have been killed while it wrote. */
static void mend(struct history *history)
{
	if (history->layout != layout)
		memset(history, 0, sizeof(*history));
	history->layout = layout;
	exits_mend(&history->exits);
	if (history->retry.nr_faults > RETRY_MAX_FAULTS)
		history->retry.nr_faults = 0;
}

int history_open(struct history **ret, const char *directory)
{
	struct history *history = NULL;
	int r = 0;

	if (directory)
		r = map_file(&history, directory);
	if (!history && map(&history, MAP_PRIVATE | MAP_ANONYMOUS, -1) < 0)
		return -ENOMEM;
	mend(history);
	*ret = history;
	return r;
}

struct history *history_close(struct history *history)
{
	if (history)
		munmap(history, sizeof(*history));
	return NULL;
}
