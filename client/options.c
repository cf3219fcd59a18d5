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
#include "client/modes.h"
#include "client/text.h"

enum {
	WORD = 1,
	ARGUMENT_JSON = 256, /* above every letter */
	ARGUMENT_NO_LEGEND,
	ARGUMENT_NO_ASK_PASSWORD,
	ARGUMENT_CPU,
	ARGUMENT_WATCH,
	ARGUMENT_DUMP,
	ARGUMENT_HTTP,
	ARGUMENT_ONCE,
	ARGUMENT_TIMEOUT,
	ARGUMENT_UNTIL,
	ARGUMENT_FOR,
	ARGUMENT_PERSIST,
	ARGUMENT_REASON,
	ARGUMENT_KEEP_HOLDS,
	ARGUMENT_VERSION,
};

/* clang-format off */ /* one option per line reads as a table */
static const struct option_view views[] = {
	{ "json", ARGUMENT_JSON, "STYLE", true, OPTION_JSON, "Print JSON: pretty, short or off" },
	{ "no-legend", ARGUMENT_NO_LEGEND, NULL, false, 0, "Leave out headings of tables" },
	{ "no-ask-password", ARGUMENT_NO_ASK_PASSWORD, NULL, false, 0,
	  "Fail rather than ask for a password" },
	{ "quiet", 'q', NULL, false, 0, "Print nothing on success" },
	{ "host", 'H', "[USER@]HOST", false, 0, "Ask the service of another machine, over ssh" },
	{ "machine", 'M', "CONTAINER", false, 0, "Ask the service of a local container" },
	{ "cpu", ARGUMENT_CPU, NULL, false, OPTION_CPU, "Statistics of each CPU" },
	{ "watch", ARGUMENT_WATCH, "SECONDS", true, OPTION_WATCH,
	  "Statistics again and again, with rates" },
	{ "dump", ARGUMENT_DUMP, NULL, false, OPTION_DUMP, "The kernel's dump, too" },
	{ "http", ARGUMENT_HTTP, NULL, false, OPTION_HTTP,
	  "Answer one HTTP request on standard input and output" },
	{ "once", ARGUMENT_ONCE, NULL, false, OPTION_ONCE, "One picture instead of a live one" },
	{ "timeout", ARGUMENT_TIMEOUT, "SECONDS", false, 0, "Give up after this time" },
	{ "mode", 'm', "MODE", false, OPTION_MODE, "The mode to run with, or to set a parameter in" },
	{ "for", ARGUMENT_FOR, "TIME", false, OPTION_FOR,
	  "Set a mode for this time at most, as in 2h" },
	{ "until", ARGUMENT_UNTIL, "EVENT", false, OPTION_UNTIL,
	  "Set a mode until this happens, see donorctl(1)" },
	{ "persist", ARGUMENT_PERSIST, NULL, false, OPTION_PERSIST, "The choice outlasts a reboot" },
	{ "reason", ARGUMENT_REASON, "TEXT", false, OPTION_REASON, "Say to others why" },
	{ "keep-holds", ARGUMENT_KEEP_HOLDS, NULL, false, OPTION_KEEP_HOLDS,
	  "Let programs keep the modes that they hold" },
	{ "help", 'h', NULL, false, 0, "Print this text" },
	{ "version", ARGUMENT_VERSION, NULL, false, 0, "Print the version of donorctl" },
};
/* clang-format on */

enum {
	NR_VIEWS = sizeof(views) / sizeof(views[0]),
};

/* What getopt_long() wants to have, made from the table above. */
static struct option table[NR_VIEWS + 1];
static char letters[2 * NR_VIEWS + 3];

static void fill_tables(void)
{
	char *letter = letters;

	*letter++ = '-'; /* in order: getopt_long() then returns words as well, as WORD */
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

static int parse_mode(const char *name, struct options *options)
{
	options->given |= OPTION_MODE;
	options->mode = name;
	return is_mode(name) ? 0 : complain_choice("mode", name, mode_names);
}

static int parse_for(const char *text, struct options *options)
{
	int r;

	options->given |= OPTION_FOR;
	r = parse_time("for", text, &options->for_usec);
	if (r || options->for_usec)
		return r;
	complain("--for cannot be '%s'; give a time longer than nothing", safe(text));
	return STATUS_USAGE;
}

static int parse_text(const char *text, enum option_flag flag, struct options *options,
		      const char **target)
{
	options->given |= flag;
	*target = text;
	if (is_utf8(text))
		return 0;
	complain("%s is not in UTF-8, as others read it; leave it out", option_name(flag));
	return STATUS_USAGE;
}

/* As the service will have it; a control character would steer the terminals of others. */
static int parse_reason(const char *text, struct options *options)
{
	int r;

	r = parse_text(text, OPTION_REASON, options, &options->reason);
	if (r || (strlen(text) <= 256 && !strcmp(safe(text), text)))
		return r;
	complain("--reason may have 256 bytes and no control characters; shorten it to a sentence");
	return STATUS_USAGE;
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
	case ARGUMENT_NO_ASK_PASSWORD:
		options->no_ask_password = true;
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
	case ARGUMENT_DUMP:
		options->given |= OPTION_DUMP;
		return 0;
	case ARGUMENT_TIMEOUT:
		return parse_timeout(optarg, options);
	case ARGUMENT_FOR:
		return parse_for(optarg, options);
	case ARGUMENT_UNTIL:
		return parse_text(optarg, OPTION_UNTIL, options, &options->until);
	case ARGUMENT_REASON:
		return parse_reason(optarg, options);
	case ARGUMENT_KEEP_HOLDS:
		options->given |= OPTION_KEEP_HOLDS;
		return 0;
	case ARGUMENT_VERSION:
		options->version = true;
		return 0;
	case ARGUMENT_PERSIST:
		options->given |= OPTION_PERSIST;
		return 0;
	case 'm':
		return parse_mode(optarg, options);
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

/* What a command to run is given is its own. */
static bool is_command_to_run(int nr_words, char **words)
{
	return nr_words == 2 && !strcmp(words[0], "run");
}

int options_parse(int argc, char **argv, struct options *options, int *ret_nr_words)
{
	char **words = argv + 1;
	int value, r, nr = 0;

	fill_tables();
	opterr = 0;
	while (!is_command_to_run(nr, words) &&
	       (value = getopt_long(argc, argv, letters, table, NULL)) >= 0) {
		if (value == WORD) {
			words[nr++] = optarg; /* its own place, or that of an option before it */
			continue;
		}
		r = apply(value, argv, options);
		if (r)
			return r;
	}
	while (optind < argc)
		words[nr++] = argv[optind++];
	words[nr] = NULL;
	if (options->host && options->machine) {
		complain("--host and --machine exclude each other; give one of them");
		return STATUS_USAGE;
	}
	*ret_nr_words = nr;
	return 0;
}
