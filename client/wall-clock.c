/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/wall-clock.h"

#include <time.h>

#include "service/duration.h"

const char *wall_clock_format(uint64_t usec, char *text, size_t size)
{
	time_t seconds = (time_t)(usec / USEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, size, "%a %Y-%m-%d %H:%M:%S", &tm))
		text[0] = '\0';
	return text;
}
