/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>

/*
 * Some kernels (7.1 and 7.2, where an old pahole made their BTF) describe functions of sched_ext
 * with an argument that callers must not pass, so no program can call them. Part of scheduler.c.
 *
 * Writes the names of those functions, parted by spaces, as many as fit, and returns the number of
 * all; 0: the BTF is sound or cannot be read.
 */
unsigned btf_malformed_functions(char *buf, size_t size);
