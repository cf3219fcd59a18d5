/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "service/cleanup.h"
#include "service/fd-store.h"

#define SYNC_US (5 * 1000000ULL)

int fd_store_open(struct fd_store *ret)
{
	char **names = NULL;
	int nr;

	nr = sd_listen_fds_with_names(true, &names);
	if (nr < 0)
		return nr;
	*ret = (struct fd_store){ .nr = nr, .names = names };
	ret->fds = calloc(nr + 1, sizeof(ret->fds[0]));
	if (!ret->fds) {
		fd_store_done(ret);
		return -ENOMEM;
	}
	for (int i = 0; i < nr; i++)
		ret->fds[i] = SD_LISTEN_FDS_START + i;
	return 0;
}

int fd_store_take(struct fd_store *store, const char *name)
{
	for (unsigned i = 0; i < store->nr; i++)
		if (store->fds[i] >= 0 && strcmp(store->names[i], name) == 0)
			return steal_fd(store->fds[i]);
	return -ENOENT;
}

void fd_store_done(struct fd_store *store)
{
	for (unsigned i = 0; i < store->nr; i++) {
		if (store->fds)
			closep(&store->fds[i]);
		free(store->names[i]);
	}
	free(store->names);
	free(store->fds);
	*store = (struct fd_store){};
}

bool fd_store_is_there(void)
{
	return getenv("NOTIFY_SOCKET");
}

/* FDPOLL=0: a map cannot be polled, and systemd would drop it for that at once. */
int fd_store_put(const char *name, int fd)
{
	char text[128];
	int r;

	(void)snprintf(text, sizeof(text), "FDSTORE=1\nFDNAME=%s\nFDPOLL=0", name);
	r = sd_pid_notify_with_fds(0, 0, text, &fd, 1);
	return r < 0 ? r : 0;
}

int fd_store_remove(const char *name)
{
	int r = sd_notifyf(0, "FDSTOREREMOVE=1\nFDNAME=%s", name);

	return r < 0 ? r : 0;
}

int fd_store_sync(void)
{
	int r = sd_notify_barrier(0, SYNC_US);

	return r < 0 ? r : 0;
}
