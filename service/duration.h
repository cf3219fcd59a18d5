/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Spans of time as people write and read them, as in systemd.time(7). The systemd library keeps its
 * parser to itself. Service, donorctl and donor-sim share this one.
 */

#define USEC_PER_MSEC UINT64_C(1000)
#define USEC_PER_SEC UINT64_C(1000000)
#define NSEC_PER_USEC UINT64_C(1000)

/*
 * Reads "10", "0.5", "500ms", "2min", "1h" or "2h 14min"; a bare number is seconds. At most a year.
 * -EINVAL: not such a time. -ERANGE: too long.
 */
int duration_parse(const char *text, uint64_t *ret_usec);

/* The same in nanoseconds; a bare number is in units of so many. */
int duration_parse_ns(const char *text, uint64_t bare_ns, uint64_t *ret_ns);

/* Writes the two largest units, as in "2h 14min", and returns text. */
const char *duration_format(uint64_t usec, char *text, size_t size);

/* Writes all of it as one number, as in "90s": duration_parse() gives back the same. */
const char *duration_format_exact(uint64_t usec, char *text, size_t size);
