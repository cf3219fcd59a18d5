/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_style {
	JSON_OFF,
	JSON_SHORT,
	JSON_PRETTY,
};

/* Options that only some commands know. */
enum option_flag {
	OPTION_JSON = 1 << 0,
	OPTION_CPU = 1 << 1,
	OPTION_WATCH = 1 << 2,
	OPTION_MODE = 1 << 3,
	OPTION_UNTIL = 1 << 4,
	OPTION_FOR = 1 << 5,
	OPTION_PERSIST = 1 << 6,
	OPTION_REASON = 1 << 7,
	OPTION_KEEP_HOLDS = 1 << 8,
	OPTION_DUMP = 1 << 9,
	OPTION_HTTP = 1 << 10,
	OPTION_ONCE = 1 << 11,
};

struct options {
	enum json_style json;
	unsigned int given; /* enum option_flag */
	bool no_legend;
	bool quiet;
	bool no_ask_password;
	bool help;
	bool version;
	bool has_timeout;
	uint64_t timeout_usec;
	uint64_t watch_usec;
	const char *mode; /* of -m */
	const char *until;
	const char *reason;
	uint64_t for_usec;
	const char *host;	  /* of -H */
	const char *machine; /* of -M */
};

/*
 * Reads the options, wherever they stand, and moves the other words to argv[1] and following. What
 * follows the command that `run` is to start belongs to that command. Complains and returns
 * STATUS_USAGE, or returns 0.
 */
int options_parse(int argc, char **argv, struct options *options, int *ret_nr_words);

/* The name of the first of these flags, for complaints. */
const char *option_name(unsigned int flags);

/* One line of the table of options. */
struct option_view {
	const char *name;
	int value_of_getopt; /* its letter, or a number above every letter */
	const char *argument; /* as the help shows it; NULL: it has none */
	bool is_argument_optional;
	unsigned int flag; /* enum option_flag; 0: every command knows it */
	const char *help;
};

/* NULL behind the last. */
const struct option_view *option_view(size_t index);

/* By "--name" or "-n". */
const struct option_view *option_find(const char *word, size_t length);

/* The lines about options in the help. */
void options_print_help(void);
