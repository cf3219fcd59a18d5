/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "service/status.h"

/*
 * How the scheduler ended, each time since the service started, and what the kernel dumped when it
 * last did. Texts of the kernel name tasks, and those name themselves as they like: what is kept
 * here is printable.
 */
struct exits {
	struct exit_info *list; /* the latest first */
	unsigned nr, keep;
	char *dump; /* NULL until the kernel made one */
	uint64_t dump_realtime_us; /* of the exit that it belongs to */
};

/* What an exit asks of us. */
enum exit_cause {
	EXIT_FAULT,   /* a stall, an error, anything that is not below */
	EXIT_RESTART, /* to be attached anew: the machine has other CPUs than it was told */
	EXIT_ORDER,   /* sysrq-S: an administrator wants no sched_ext scheduler */
};

enum exit_cause exit_cause(uint32_t kind, int64_t code);

/* No more than size - 1 characters; those that are not printable ASCII become '?'. */
void exit_copy_text(char *to, size_t size, const char *from);

/* Keep so many from now on. -ENOMEM: it stays as it was. */
int exits_keep(struct exits *exits, unsigned keep);
void exits_done(struct exits *exits);

/* The dump, unless it is NULL or empty, is copied and takes the place of the one before. */
void exits_add(struct exits *exits, const struct exit_info *info, const char *dump);

/* All of it as text for a report. */
void exits_print(const struct exits *exits, FILE *f);
