/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/exit-status.h"
#include "client/option-words.h"
#include "client/text.h"

enum {
	MOST_OPTIONS = 64,
};

const char *long_option_name(const struct option *table, int value)
{
	for (; table->name; table++)
		if (table->val == value)
			return table->name;
	return NULL;
}

int complain_option(const struct option *table, const char *word)
{
	const char *known = optopt ? long_option_name(table, optopt) : NULL;
	const char *names[MOST_OPTIONS + 1] = { NULL };
	char name[64];

	if (known)
		complain("--%s takes no value; leave out what follows '='", known);
	else if (optopt)
		complain("unknown option '-%c'; see %s --help", optopt,
			 program_invocation_short_name);
	if (optopt)
		return STATUS_USAGE;
	for (size_t i = 0; table[i].name && i < MOST_OPTIONS; i++)
		names[i] = table[i].name;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	return complain_choice("option", name, names);
}
