/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "service/status.h"

enum { EXITS_MAX = 256 };

/*
 * How the scheduler ended, and what the kernel dumped when it last did. Texts of the kernel name
 * tasks, and those name themselves as they like: what is kept here is printable. No pointers in
 * here: see history.h.
 */
struct exits {
	uint32_t nr;
	struct exit_info list[EXITS_MAX]; /* the latest first */
	uint64_t dump_realtime_us;   /* of the exit that the dump belongs to */
	char dump[DONOR_EXIT_DUMP_BYTES]; /* empty until the kernel made one */
};

/* What an exit asks of us. */
enum exit_cause {
	EXIT_FAULT,   /* a stall, an error, anything that is not below */
	EXIT_RESTART, /* to be attached anew: the machine has other CPUs than it was told */
	EXIT_ORDER,   /* sysrq-S: an administrator wants no sched_ext scheduler */
};

enum exit_cause exit_cause(uint32_t kind, int64_t code);

/* No more than the latest `keep` remain. The dump replaces the one before, unless it is empty. */
void exits_add(struct exits *exits, unsigned keep, const struct exit_info *info, const char *dump);
void exits_trim(struct exits *exits, unsigned keep);

/* Whatever is in this memory, it may be read now. */
void exits_mend(struct exits *exits);

/* All of it as text for a report. */
void exits_print(const struct exits *exits, FILE *f);
