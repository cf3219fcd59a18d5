/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

/*
 * Descriptors that systemd keeps for us while we are away: killed, restarted, upgraded. It closes
 * them when the unit is stopped, and when it gives the unit up.
 */
struct fd_store {
	unsigned nr;
	char **names;
	int *fds; /* -1: taken */
};

/* What systemd hands us at start, sockets that it listens on included. -ENOMEM and the like. */
int fd_store_open(struct fd_store *ret);

/* The descriptor of that name, now the caller's; -ENOENT. */
int fd_store_take(struct fd_store *store, const char *name);

/* Close what nobody took. What systemd has of it stays there. */
void fd_store_done(struct fd_store *store);

/* Whether somebody started us who keeps descriptors. */
bool fd_store_is_there(void);

/* Keep a duplicate; the same file under the same name is kept once. */
int fd_store_put(const char *name, int fd);

/* Forget all of that name. */
int fd_store_remove(const char *name);

/* Returns when systemd has done all that it was told so far. */
int fd_store_sync(void);
