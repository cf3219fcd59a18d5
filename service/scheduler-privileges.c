/* SPDX-License-Identifier: GPL-2.0-only */

/* The capabilities that a load needs and nothing else does. */

#include <errno.h>
#include <sys/capability.h>

#include "service/scheduler.h"

static bool dropped;

static inline void cap_freep(cap_t *caps)
{
	if (*caps)
		cap_free(*caps);
}

/* The ambient set cannot keep what the permitted one has lost. donord has no second thread. */
int scheduler_drop_privileges(void)
{
	_cleanup_(cap_freep) cap_t none = cap_init();

	if (!none || cap_set_proc(none) < 0)
		return -errno;
	dropped = true;
	return 0;
}

bool scheduler_can_load(void)
{
	return !dropped;
}
