/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <getopt.h>

/* What getopt_long() did not take, in a sentence. The table is the one it was given, its end
 * included. */

/* Name of the option with that value, or NULL. */
const char *long_option_name(const struct option *table, int value);

/* getopt said '?' to word: an unknown option, or a value that an option cannot take. STATUS_USAGE. */
int complain_option(const struct option *table, const char *word);
