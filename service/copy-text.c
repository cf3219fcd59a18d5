/* SPDX-License-Identifier: GPL-2.0-only */

#include <string.h>

#include "service/copy-text.h"

void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	memset(to + n, 0, size - n);
}
