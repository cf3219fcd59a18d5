/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the running kernel says of sched_ext in /sys/kernel/sched_ext, and news of it. Nothing here
 * needs privilege, nothing changes anything.
 */

struct kernel_state {
	bool has_sched_ext;
	bool has_btf;
	bool enabled;  /* some sched_ext scheduler runs */
	bool is_changing; /* one is being enabled or disabled */
	char ops[128]; /* its name; empty unless enabled */
	uint64_t enable_seq;
	uint64_t hotplug_seq;
};

/* Read it anew. Cannot fail: a file that is not there is a kernel that lacks it. */
void kernel_read(struct kernel_state *ret);

/*
 * A socket on which the kernel announces that a sched_ext scheduler came or went. Make it known to
 * poll(), and when it is readable call kernel_watch_drain(), which tells whether one of the
 * messages was about sched_ext. -EAFNOSUPPORT and the like: no such socket here; poll instead.
 */
int kernel_watch_open(void);
bool kernel_watch_drain(int fd);

/* The test behind it: does this uevent, as received, come from sched_ext? */
bool kernel_uevent_is_sched_ext(const char *message, size_t size);
