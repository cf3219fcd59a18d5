/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>

/*
 * Texts of others (the kernel's, which name tasks, and those name themselves as they like; files of
 * the administrator) with '?' for all but printable ASCII: what the bus would not carry must not
 * get there. The rest of `to` is filled with zeros.
 */
void copy_text(char *to, size_t size, const char *from);
