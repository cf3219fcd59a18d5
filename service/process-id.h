/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>

/* Which process a pidfd is of, in words that outlast the pidfd. */
struct process_id {
	int pid; /* 0: cannot be found again */
	unsigned flags; /* for pidfd_open() */
	uint64_t inode;
};

/*
 * The pid alone may be another's by the time it is looked up, and when a process began is hidden
 * from us by ProtectProc=. But since Linux 6.9, and so on every kernel that donor runs on, a pidfd
 * has an inode number that no other process has until the next boot.
 */
struct process_id process_id_of(int pidfd);

/* A new pidfd of the very same process, or -ESRCH: it has ended. */
int process_id_open(const struct process_id *id);
