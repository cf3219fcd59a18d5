/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans of time as people write and read them. */
#include "client/duration.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MIN)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)
#define LONGEST_USEC (366 * USEC_PER_DAY)

static const struct unit {
	const char *name;
	uint64_t usec;
} units[] = {
	{ "d", USEC_PER_DAY },	       { "h", USEC_PER_HOUR }, { "min", USEC_PER_MIN },
	{ "m", USEC_PER_MIN },	       { "s", USEC_PER_SEC },  { "", USEC_PER_SEC },
	{ "ms", USEC_PER_SEC / 1000 },
};

static uint64_t unit_usec(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, name))
			return units[i].usec;
	return 0;
}

int duration_parse(const char *text, uint64_t *ret_usec)
{
	uint64_t unit;
	double value;
	char *end;

	/* strtod also reads signs, blanks, hexadecimal and "inf" */
	if (text[strspn(text, "0123456789.")] == 'e' || text[0] == '.' ||
	    !isdigit((unsigned char)text[0]) || strpbrk(text, "xX"))
		return -EINVAL;
	value = strtod(text, &end);
	unit = unit_usec(end);
	if (!unit)
		return -EINVAL;
	value *= (double)unit;
	if (value > (double)LONGEST_USEC)
		return -ERANGE;
	*ret_usec = (uint64_t)value;
	return 0;
}

static const char *format_pair(char *text, size_t size, uint64_t usec, uint64_t large,
			       const char *large_name, uint64_t small, const char *small_name)
{
	uint64_t rest = usec % large / small;

	if (rest)
		snprintf(text, size, "%" PRIu64 "%s %" PRIu64 "%s", usec / large, large_name, rest,
			 small_name);
	else
		snprintf(text, size, "%" PRIu64 "%s", usec / large, large_name);
	return text;
}

const char *duration_format(uint64_t usec, char *text, size_t size)
{
	if (usec >= USEC_PER_DAY)
		return format_pair(text, size, usec, USEC_PER_DAY, "d", USEC_PER_HOUR, "h");
	if (usec >= USEC_PER_HOUR)
		return format_pair(text, size, usec, USEC_PER_HOUR, "h", USEC_PER_MIN, "min");
	if (usec >= USEC_PER_MIN)
		return format_pair(text, size, usec, USEC_PER_MIN, "min", USEC_PER_SEC, "s");
	if (usec >= USEC_PER_SEC)
		return format_pair(text, size, usec, USEC_PER_SEC, "s", USEC_PER_SEC / 1000, "ms");
	snprintf(text, size, "%" PRIu64 "ms", usec / 1000);
	return text;
}
