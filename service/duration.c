/* SPDX-License-Identifier: GPL-2.0-only */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/duration.h"

#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MIN)
#define USEC_PER_DAY (24 * USEC_PER_HOUR)
#define LONGEST_NSEC (366 * USEC_PER_DAY * NSEC_PER_USEC)

/* By falling size, but for names that nobody is shown. */
static const struct unit {
	const char *name;
	uint64_t usec;
} units[] = {
	{ "d", USEC_PER_DAY },	 { "h", USEC_PER_HOUR },    { "min", USEC_PER_MIN },
	{ "s", USEC_PER_SEC },	 { "ms", USEC_PER_MSEC },   { "us", 1 },
	{ "m", USEC_PER_MIN },	 { "sec", USEC_PER_SEC },   { "hr", USEC_PER_HOUR },
	{ "day", USEC_PER_DAY }, { "msec", USEC_PER_MSEC }, { "usec", 1 },
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

/* 0: there is no such unit. */
static uint64_t unit_ns(const char *name, size_t length, uint64_t bare_ns)
{
	if (length == 0)
		return bare_ns;
	if (length == 2 && !strncmp(name, "ns", length))
		return 1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == length && !strncmp(units[i].name, name, length))
			return units[i].usec * NSEC_PER_USEC;
	return 0;
}

/* One number with its unit; moves on to what follows. */
static int parse_term(const char **text, uint64_t bare_ns, uint64_t *ret_ns)
{
	const char *number = *text, *name = number + strspn(number, "0123456789.");
	size_t length = strspn(name, letters);
	uint64_t unit = unit_ns(name, length, bare_ns);
	double value;
	char *end;

	/* strtod() also reads signs, hexadecimal and "inf" */
	if (!isdigit((unsigned char)number[0]) || !unit)
		return -EINVAL;
	value = strtod(number, &end);
	if (end != name)
		return -EINVAL;
	value *= (double)unit;
	if (value > (double)LONGEST_NSEC)
		return -ERANGE;
	*ret_ns = (uint64_t)value;
	*text = name + length + strspn(name + length, " ");
	return 0;
}

int duration_parse_ns(const char *text, uint64_t bare_ns, uint64_t *ret_ns)
{
	uint64_t sum = 0, term = 0;
	int r;

	if (text[strspn(text,
			"0123456789.")]) /* several terms need their units: "1 30s" is 1 what? */
		bare_ns = 0;
	do {
		r = parse_term(&text, bare_ns, &term);
		if (r < 0)
			return r;
		sum += term;
		if (sum > LONGEST_NSEC)
			return -ERANGE;
	} while (*text);
	*ret_ns = sum;
	return 0;
}

int duration_parse(const char *text, uint64_t *ret_usec)
{
	uint64_t ns;
	int r;

	r = duration_parse_ns(text, USEC_PER_SEC * NSEC_PER_USEC, &ns);
	if (r < 0)
		return r;
	*ret_usec = ns / NSEC_PER_USEC;
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

const char *duration_format_exact(uint64_t usec, char *text, size_t size)
{
	size_t i = 0;

	while (units[i].usec > 1 && usec % units[i].usec != 0)
		i++;
	snprintf(text, size, "%" PRIu64 "%s", usec / units[i].usec, usec ? units[i].name : "");
	return text;
}
