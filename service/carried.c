/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "service/carried.h"
#include "service/cleanup.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* since Linux 6.3 */
#endif

#define NAME "carried"

/* What `layout` says of this build's struct. */
#define LAYOUT (0x6463000000000000ULL | (CARRIED_WISHES << 16) | sizeof(struct carried))
enum { CARRIED_WISHES = CARRIED_REST + 1 };

static bool fits(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size == sizeof(struct carried);
}

static int make(void)
{
	_cleanup_(closep) int fd =
		memfd_create("donor-" NAME, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
	int r;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, sizeof(struct carried)) < 0)
		return -errno;
	r = fd_store_is_there() ? fd_store_put(NAME, fd) : 0;
	return r < 0 ? r : steal_fd(fd);
}

static int take_or_make(struct fd_store *store)
{
	_cleanup_(closep) int fd = fd_store_take(store, NAME);

	if (fd < 0)
		return make();
	if (fits(fd))
		return steal_fd(fd);
	(void)fd_store_remove(NAME);
	return make();
}

int carried_open(struct fd_store *store, struct carried **ret)
{
	_cleanup_(closep) int fd = take_or_make(store);
	struct carried *carried;

	carried = mmap(NULL, sizeof(*carried), PROT_READ | PROT_WRITE,
		       fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (carried == MAP_FAILED)
		return -errno;
	if (carried->layout != LAYOUT)
		*carried = (struct carried){ .layout = LAYOUT };
	*ret = carried;
	return fd < 0 ? fd : 0;
}

struct carried *carried_close(struct carried *carried)
{
	if (carried)
		munmap(carried, sizeof(*carried));
	return NULL;
}

uint64_t carried_count_restart(struct carried *carried, uint64_t now_us)
{
	uint64_t *times = carried->restarts_us;

	/* The first is the oldest. */
	if (times[0] != 0 && now_us < times[0] + CARRIED_WINDOW_US)
		return times[0] + CARRIED_WINDOW_US - now_us;
	memmove(times, times + 1, (CARRIED_RESTARTS - 1) * sizeof(times[0]));
	times[CARRIED_RESTARTS - 1] = now_us;
	return 0;
}

void carried_forget_restarts(struct carried *carried)
{
	memset(carried->restarts_us, 0, sizeof(carried->restarts_us));
}
