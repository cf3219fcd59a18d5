/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes to the person's terminal, apart from tables. */
#include "client/text.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "client/exit-status.h"

static int use_colour(void)
{
	static int decided = -1;
	const char *no_colour, *term;

	if (decided < 0) {
		no_colour = getenv("NO_COLOR");
		term = getenv("TERM");
		decided = isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
			  !(term && !strcmp(term, "dumb"));
	}
	return decided;
}

const char *colour_on(enum colour colour)
{
	static const char *const sequences[_COLOUR_MAX] = {
		[COLOUR_NONE] = "",
		[COLOUR_BOLD] = "\033[1m",
		[COLOUR_GREEN] = "\033[1;32m",
		[COLOUR_YELLOW] = "\033[1;33m",
		[COLOUR_RED] = "\033[1;31m",
	};

	return use_colour() ? sequences[colour] : "";
}

const char *colour_off(void)
{
	return use_colour() ? "\033[0m" : "";
}

const char *glyph(const char *text, const char *plain)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? plain : text;
}

/* The bytes of the control character that text starts with, else 0. U+0080 to U+009F count. */
static size_t control_bytes(const unsigned char *text)
{
	if (text[0] < 0x20 || text[0] == 0x7f)
		return 1;
	if (text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f)
		return 2;
	return 0;
}

const char *safe(const char *text)
{
	static char buffers[4][1024];
	static unsigned int turn;
	char *buffer = buffers[turn++ % 4];
	size_t used = 0, bytes;

	while (text && *text && used < sizeof(buffers[0]) - 1) {
		bytes = control_bytes((const unsigned char *)text);
		buffer[used++] = bytes ? '?' : *text;
		text += bytes ? bytes : 1;
	}
	buffer[used] = '\0';
	return buffer;
}

bool is_utf8(const char *text)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL), before;
	mbstate_t state = { 0 };
	bool valid;

	if (!utf8) /* the bus will tell */
		return true;
	before = uselocale(utf8);
	valid = mbsrtowcs(NULL, &text, 0, &state) != (size_t)-1;
	uselocale(before);
	freelocale(utf8);
	return valid;
}

void complain(const char *format, ...)
{
	va_list arguments;

	fflush(stdout); /* so that both streams keep their order in a log */
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

int is_choice(const char *word, const char *const *choices)
{
	for (; *choices; choices++)
		if (!strcmp(word, *choices))
			return 1;
	return 0;
}

#define LONGEST_CHOICE 64

static unsigned int lesser(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to add, drop, change or swap with the next, to get from one word to the other. */
static unsigned int edit_distance(const char *from, const char *to)
{
	unsigned int d[LONGEST_CHOICE + 1][LONGEST_CHOICE + 1];
	size_t rows = strlen(from), columns = strlen(to);

	if (rows > LONGEST_CHOICE || columns > LONGEST_CHOICE)
		return UINT_MAX;
	for (size_t i = 0; i <= rows; i++)
		d[i][0] = (unsigned int)i;
	for (size_t j = 0; j <= columns; j++)
		d[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= rows; i++) {
		for (size_t j = 1; j <= columns; j++) {
			d[i][j] = lesser(lesser(d[i - 1][j], d[i][j - 1]) + 1,
					 d[i - 1][j - 1] + (from[i - 1] != to[j - 1]));
			if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
				d[i][j] = lesser(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[rows][columns];
}

const char *nearest_choice(const char *word, const char *const *choices)
{
	unsigned int limit = (unsigned int)strlen(word) / 3 + 1, best = limit + 1, distance;
	const char *nearest = NULL;

	for (; *choices; choices++) {
		/* "perf" is an abbreviation, not a typing error */
		if (strlen(word) >= 2 && !strncmp(word, *choices, strlen(word)))
			return *choices;
		distance = edit_distance(word, *choices);
		if (distance < best) {
			best = distance;
			nearest = *choices;
		}
	}
	return nearest;
}

int complain_choice(const char *what, const char *word, const char *const *choices)
{
	const char *nearest = nearest_choice(word, choices);

	fflush(stdout);
	fprintf(stderr, "%s: unknown %s '%s'; ", program_invocation_short_name, what, safe(word));
	if (nearest)
		fprintf(stderr, "did you mean '%s'? ", nearest);
	fprintf(stderr, "Valid are: ");
	for (; *choices; choices++)
		fprintf(stderr, "%s%s", *choices, choices[1] ? ", " : ".\n");
	return STATUS_USAGE;
}
