/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define USEC_PER_SEC UINT64_C(1000000)

/*
 * Reads "10", "0.5", "500ms", "10s", "2min" or "1h"; a bare number is seconds. At most a year.
 * -EINVAL: not such a time. -ERANGE: too long.
 */
int duration_parse(const char *text, uint64_t *ret_usec);

/* Writes the two largest units, as in "2h 14min", and returns text. */
const char *duration_format(uint64_t usec, char *text, size_t size);
