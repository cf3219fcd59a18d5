/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The kernel's own word, for when the service has none. Paths start with /sys, /proc or /boot;
 * the environment variable DONORCTL_ROOT is put before them.
 */

bool system_has(const char *path);

/* Reads the first line, without its end. A negative errno, and then line is "". */
int system_read_line(const char *path, char *line, size_t size);

/* The number of different lines in the files of these names, as of a shell pattern. */
size_t system_count_lines(const char *pattern);

#define SYSTEM_SCHED_EXT "/sys/kernel/sched_ext"
#define SYSTEM_ROOT_OPS "/sys/kernel/sched_ext/root/ops"
