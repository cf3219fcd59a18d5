/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line's options. Which command takes which is in the table of commands. */
#include "client/option-words.h"
#include "client/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/duration.h"
#include "client/choices.h"
#include "client/exit-status.h"
#include "client/text.h"

enum {
	ARGUMENT_JSON = 256, /* above every letter */
	ARGUMENT_NO_LEGEND,
	ARGUMENT_CPU,
	ARGUMENT_WATCH,
	ARGUMENT_HTTP,
	ARGUMENT_ONCE,
	ARGUMENT_TIMEOUT,
	ARGUMENT_VERSION,
};

/* clang-format off */ /* one option per line reads as a table */
static const struct option_view views[] = {
	{ "json", ARGUMENT_JSON, "STYLE", true, OPTION_JSON, "Print JSON: pretty, short or off" },
	{ "no-legend", ARGUMENT_NO_LEGEND, NULL, false, 0, "Leave out headings of tables" },
	{ "quiet", 'q', NULL, false, 0, "Print nothing on success" },
	{ "host", 'H', "[USER@]HOST", false, 0, "Ask the service of another machine, over ssh" },
	{ "machine", 'M', "CONTAINER", false, 0, "Ask the service of a local container" },
	{ "cpu", ARGUMENT_CPU, NULL, false, OPTION_CPU, "Statistics of each CPU" },
	{ "watch", ARGUMENT_WATCH, "SECONDS", true, OPTION_WATCH,
	  "Statistics again and again, with rates" },
	{ "http", ARGUMENT_HTTP, NULL, false, OPTION_HTTP,
	  "Answer one HTTP request on standard input and output" },
	{ "once", ARGUMENT_ONCE, NULL, false, OPTION_ONCE, "One picture instead of a live one" },
	{ "timeout", ARGUMENT_TIMEOUT, "SECONDS", false, 0, "Give up after this time" },
	{ "help", 'h', NULL, false, 0, "Print this text" },
	{ "version", ARGUMENT_VERSION, NULL, false, 0, "Print the version of donorctl" },
};
/* clang-format on */

enum {
	NR_VIEWS = sizeof(views) / sizeof(views[0]),
};

/* What getopt_long() wants to have, made from the table above. */
static struct option table[NR_VIEWS + 1];
static char letters[2 * NR_VIEWS + 2];

static void fill_tables(void)
{
	char *letter = letters;

	*letter++ = ':';
	for (size_t i = 0; i < NR_VIEWS; i++) {
		table[i] =
			(struct option){ .name = views[i].name, .val = views[i].value_of_getopt };
		if (views[i].argument)
			table[i].has_arg = views[i].is_argument_optional ? optional_argument
									 : required_argument;
		if (views[i].value_of_getopt > CHAR_MAX)
			continue;
		*letter++ = (char)views[i].value_of_getopt;
		if (views[i].argument)
			*letter++ = ':';
	}
	*letter = '\0';
}

const struct option_view *option_view(size_t index)
{
	return index < NR_VIEWS ? &views[index] : NULL;
}

const struct option_view *option_find(const char *word, size_t length)
{
	for (size_t i = 0; i < NR_VIEWS; i++) {
		if (length == 2 && word[0] == '-' && word[1] == views[i].value_of_getopt)
			return &views[i];
		if (length > 2 && strlen(views[i].name) == length - 2 && word[1] == '-' &&
		    !memcmp(views[i].name, word + 2, length - 2))
			return &views[i];
	}
	return NULL;
}

void options_print_help(void)
{
	puts("Options:");
	for (size_t i = 0; i < NR_VIEWS; i++) {
		const struct option_view *view = &views[i];
		char name[64], letter[4] = "  ";

		if (view->value_of_getopt <= CHAR_MAX)
			snprintf(letter, sizeof(letter), "-%c", view->value_of_getopt);
		snprintf(name, sizeof(name), "--%s%s%s%s%s", view->name,
			 view->is_argument_optional ? "[" : "", view->argument ? "=" : "",
			 view->argument ? view->argument : "",
			 view->is_argument_optional ? "]" : "");
		printf("  %s %-19s %s\n", letter, name, view->help);
	}
}

const char *option_name(unsigned int flags)
{
	static char name[32];

	for (size_t i = 0; i < NR_VIEWS; i++)
		if (views[i].flag & flags) {
			snprintf(name, sizeof(name), "--%s", views[i].name);
			break;
		}
	return name;
}

static int parse_json(const char *style, struct options *options)
{
	enum json_style value = isatty(STDOUT_FILENO) ? JSON_PRETTY : JSON_SHORT;

	if (style && !is_choice(style, style_choices))
		return complain_choice("style of JSON", style, style_choices);
	for (enum json_style i = 0; style && style_choices[i]; i++)
		if (!strcmp(style, style_choices[i]))
			value = i;
	options->json = value;
	options->given &= ~(unsigned int)OPTION_JSON;
	if (value != JSON_OFF)
		options->given |= OPTION_JSON;
	return 0;
}

static int parse_time(const char *name, const char *text, uint64_t *ret_usec)
{
	if (duration_parse(text, ret_usec) >= 0)
		return 0;
	complain("--%s cannot be '%s'; give a time up to a year, such as 5, 0.5, 500ms, 10s or "
		 "2min",
		 name, safe(text));
	return STATUS_USAGE;
}

static int parse_watch(const char *text, struct options *options)
{
	int r;

	options->given |= OPTION_WATCH;
	options->watch_usec = USEC_PER_SEC;
	if (!text)
		return 0;
	r = parse_time("watch", text, &options->watch_usec);
	if (r || options->watch_usec >= USEC_PER_SEC / 10)
		return r;
	complain("--watch cannot be '%s'; the shortest interval is 0.1 seconds", safe(text));
	return STATUS_USAGE;
}

static int parse_timeout(const char *text, struct options *options)
{
	options->has_timeout = true;
	return parse_time("timeout", text, &options->timeout_usec);
}

static int complain_missing(void)
{
	complain("--%s needs a value; see donorctl --help", long_option_name(table, optopt));
	return STATUS_USAGE;
}

static int apply(int value, char **argv, struct options *options)
{
	switch (value) {
	case ARGUMENT_JSON:
		return parse_json(optarg, options);
	case ARGUMENT_NO_LEGEND:
		options->no_legend = true;
		return 0;
	case ARGUMENT_CPU:
		options->given |= OPTION_CPU;
		return 0;
	case ARGUMENT_HTTP:
		options->given |= OPTION_HTTP;
		return 0;
	case ARGUMENT_ONCE:
		options->given |= OPTION_ONCE;
		return 0;
	case ARGUMENT_WATCH:
		return parse_watch(optarg, options);
	case ARGUMENT_TIMEOUT:
		return parse_timeout(optarg, options);
	case ARGUMENT_VERSION:
		options->version = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	case 'H':
		options->host = optarg;
		return 0;
	case 'M':
		options->machine = optarg;
		return 0;
	case ':':
		return complain_missing();
	default:
		return complain_option(table, argv[optind - 1]);
	}
}

int options_parse(int argc, char **argv, struct options *options, int *ret_first)
{
	int value, r;

	fill_tables();
	opterr = 0;
	while ((value = getopt_long(argc, argv, letters, table, NULL)) >= 0) {
		r = apply(value, argv, options);
		if (r)
			return r;
	}
	if (options->host && options->machine) {
		complain("--host and --machine exclude each other; give one of them");
		return STATUS_USAGE;
	}
	*ret_first = optind;
	return 0;
}
