/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
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

/* The lines about options in the help. */
void options_print_help(void);
