/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * Runs while donor is built: copies a text from standard input, and writes what config-keys.def
 * says in place of the line @KEYS@, and what knobs.def says in place of @KNOBS@. The argument is
 * the format: "conf", the installed donor.conf, or "man", donor.conf(5) for scdoc.
 */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "service/config-key.h"

enum { COLUMNS = 98 };

struct row {
	const char *group;
	const char *name; /* NULL: the group itself */
	const char *help;
};

static const struct row rows[] = {
#define GROUP(group, help) { #group, NULL, help },
#define KEY(group, name, type, member, values, initial, help) { #group, #name, help },
#include "service/config-keys.def"
#undef KEY
#undef GROUP
};

/* A comment of lines that are not too long. */
static void print_comment(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > 0 && column + 1 + length > COLUMNS) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%.*s", column ? " " : "# ", (int)length, text);
		text += length + strspn(text + length, " ");
	}
	putchar('\n');
}

static void print_conf_row(const struct row *row, bool first)
{
	const struct config_key *key = row->name ? config_key_find(row->group, row->name) : NULL;
	char text[1024], values[512];

	if (!first)
		putchar('\n');
	if (!key) {
		print_comment(row->help);
		printf("[%s]\n", row->group);
		return;
	}
	(void)snprintf(text, sizeof(text), "%s Values: %s.", row->help,
		       config_key_values(key, values, sizeof(values)));
	print_comment(text);
	printf("#%s=%s\n", key->name, key->initial);
}

/* scdoc takes these for its own. */
static void print_escaped(const char *text)
{
	for (; *text; text++)
		printf(strchr("_*\\~<", *text) ? "\\%c" : "%c", *text);
}

static void print_man_row(const struct row *row)
{
	const struct config_key *key = row->name ? config_key_find(row->group, row->name) : NULL;
	char values[512];

	if (!key) {
		printf("## [%s]\n\n", row->group);
		print_escaped(row->help);
		printf("\n\n");
		return;
	}
	printf("*%s=*\n\t", key->name);
	print_escaped(row->help);
	printf("\n\tValues: ");
	print_escaped(config_key_values(key, values, sizeof(values)));
	printf(". Default: %s.\n\n", key->initial[0] ? key->initial : "empty");
}

static void print_keys(bool man)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (man)
			print_man_row(&rows[i]);
		else
			print_conf_row(&rows[i], i == 0);
}

static void print_knobs(void)
{
	for (unsigned i = 0; i < nr_knobs; i++) {
		printf("*");
		print_escaped(knobs[i].name);
		printf("*\n\t");
		print_escaped(knobs[i].help);
		printf("\n\tFrom %llu to %llu (%s). Default:", knobs[i].minimum, knobs[i].maximum,
		       knobs[i].unit);
		for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
			printf(" %llu in %s%s", knob_get(mode_defaults(mode), &knobs[i]),
			       mode_to_string(mode), mode + 1 < _DONOR_MODE_MAX ? "," : ".\n\n");
	}
}

int main(int argc, char **argv)
{
	bool man = argc > 1 && strcmp(argv[1], "man") == 0;
	char line[1024];

	while (fgets(line, sizeof(line), stdin))
		if (strcmp(line, "@KEYS@\n") == 0)
			print_keys(man);
		else if (strcmp(line, "@KNOBS@\n") == 0)
			print_knobs();
		else
			fputs(line, stdout);
	return fflush(stdout) != 0 || ferror(stdin);
}
