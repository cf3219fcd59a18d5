/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WALL_CLOCK_BYTES = 64 };

/* Writes a time since 1970 as local date and time, as in "Tue 2026-03-03 18:49:02"; returns text. */
const char *wall_clock_format(uint64_t usec, char *text, size_t size);
