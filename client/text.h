/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Words for people: complaints, colours, and other people's strings made harmless. */

enum colour {
	COLOUR_NONE,
	COLOUR_BOLD,
	COLOUR_GREEN,
	COLOUR_YELLOW,
	COLOUR_RED,
	_COLOUR_MAX,
};

/* The escape sequence that starts the colour, or "" where standard output shall have none. */
const char *colour_on(enum colour colour);
const char *colour_off(void);

/* text where the terminal's character set can show it, else plain. */
const char *glyph(const char *text, const char *plain);

/*
 * A copy in which control characters are '?'. Names of tasks and of schedulers reach us from
 * processes without privilege and must not steer the reader's terminal. Never NULL, not to be
 * freed, valid until the fourth call after this one.
 */
const char *safe(const char *text);

/* Says "PROGRAM: ..." on standard error. The sentence has a cause and a next step. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Complains that word is no valid what ("mode"), names the nearest choice and all of them, and
 * returns STATUS_USAGE. The list ends with NULL.
 */
int complain_choice(const char *what, const char *word, const char *const *choices);

/* The choice that someone who wrote word is likely to have meant, or NULL. */
const char *nearest_choice(const char *word, const char *const *choices);

/* Whether it may go over the bus, whatever the terminal's character set is. */
bool is_utf8(const char *text);

/* Whether word is one of the choices. */
int is_choice(const char *word, const char *const *choices);
