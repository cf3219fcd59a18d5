/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Resources are released where their variable leaves its scope. */
#define _cleanup_(f) __attribute__((cleanup(f)))

/* func##p for use with _cleanup_; func takes NULL. */
#define DEFINE_CLEANUP(type, func)                                                                 \
	static inline void func##p(type *p)                                                        \
	{                                                                                          \
		if (*p)                                                                            \
			*p = func(*p);                                                             \
	}                                                                                          \
	struct donor_swallow_semicolon

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* Hand a resource on: the variable no longer owns it. */
#define steal_pointer(p)                                                                           \
	({                                                                                         \
		typeof(p) _stolen = (p);                                                           \
		(p) = NULL;                                                                        \
		_stolen;                                                                           \
	})

#define steal_fd(fd)                                                                               \
	({                                                                                         \
		int _stolen_fd = (fd);                                                             \
		(fd) = -1;                                                                         \
		_stolen_fd;                                                                        \
	})
