/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line's options. Which command takes which is in the table of commands. */
#include "client/option-words.h"
#include "client/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/duration.h"
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
	ARGUMENT_TIMEOUT,
	ARGUMENT_UNTIL,
	ARGUMENT_FOR,
	ARGUMENT_PERSIST,
	ARGUMENT_REASON,
	ARGUMENT_KEEP_HOLDS,
	ARGUMENT_VERSION,
};

/* In order: getopt_long() then returns words as well, as WORD. */
static const char letters[] = "-:hqH:M:m:";

/* clang-format off */ /* one option per line reads as a table */
static const struct option table[] = {
	{ "json", optional_argument, NULL, ARGUMENT_JSON },
	{ "no-legend", no_argument, NULL, ARGUMENT_NO_LEGEND },
	{ "no-ask-password", no_argument, NULL, ARGUMENT_NO_ASK_PASSWORD },
	{ "quiet", no_argument, NULL, 'q' },
	{ "host", required_argument, NULL, 'H' },
	{ "machine", required_argument, NULL, 'M' },
	{ "cpu", no_argument, NULL, ARGUMENT_CPU },
	{ "watch", optional_argument, NULL, ARGUMENT_WATCH },
	{ "dump", no_argument, NULL, ARGUMENT_DUMP },
	{ "timeout", required_argument, NULL, ARGUMENT_TIMEOUT },
	{ "mode", required_argument, NULL, 'm' },
	{ "until", required_argument, NULL, ARGUMENT_UNTIL },
	{ "for", required_argument, NULL, ARGUMENT_FOR },
	{ "persist", no_argument, NULL, ARGUMENT_PERSIST },
	{ "reason", required_argument, NULL, ARGUMENT_REASON },
	{ "keep-holds", no_argument, NULL, ARGUMENT_KEEP_HOLDS },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, ARGUMENT_VERSION },
	{ NULL, 0, NULL, 0 },
};
/* clang-format on */

void options_print_help(void)
{
	puts("Options:\n"
	     "     --json[=STYLE]      Print JSON: pretty, short or off\n"
	     "     --no-legend         Leave out headings of tables\n"
	     "     --no-ask-password   Fail rather than ask for a password\n"
	     "  -q --quiet             Print nothing on success\n"
	     "  -H --host=[USER@]HOST  Ask the service of another machine, over ssh\n"
	     "  -M --machine=NAME      Ask the service of a local container\n"
	     "     --cpu               Statistics of each CPU\n"
	     "     --watch[=SECONDS]   Statistics again and again, with rates\n"
	     "     --dump              The kernel's dump, too\n"
	     "     --timeout=SECONDS   Give up after this time\n"
	     "  -m --mode=MODE         The mode to run with, or to set a parameter in\n"
	     "     --for=TIME          Set a mode for this time at most, as in 2h\n"
	     "     --until=EVENT       Set a mode until released, profile-change,\n"
	     "                         power-source-change or reboot\n"
	     "     --persist           The choice outlasts a reboot\n"
	     "     --reason=TEXT       Say to others why\n"
	     "     --keep-holds        Let programs keep the modes that they hold\n"
	     "  -h --help              Print this text\n"
	     "     --version           Print the version of donorctl");
}

const char *option_name(unsigned int flags)
{
	static const struct {
		enum option_flag flag;
		const char *name;
	} names[] = {
		{ OPTION_DUMP, "--dump" },
		{ OPTION_CPU, "--cpu" },
		{ OPTION_WATCH, "--watch" },
		{ OPTION_MODE, "--mode" },
		{ OPTION_UNTIL, "--until" },
		{ OPTION_FOR, "--for" },
		{ OPTION_PERSIST, "--persist" },
		{ OPTION_REASON, "--reason" },
		{ OPTION_KEEP_HOLDS, "--keep-holds" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].flag)
			return names[i].name;
	return "--json";
}

static int parse_json(const char *style, struct options *options)
{
	static const char *const styles[] = { "pretty", "short", "off", NULL };

	options->given |= OPTION_JSON;
	if (!style)
		options->json = isatty(STDOUT_FILENO) ? JSON_PRETTY : JSON_SHORT;
	else if (!strcmp(style, "pretty"))
		options->json = JSON_PRETTY;
	else if (!strcmp(style, "short"))
		options->json = JSON_SHORT;
	else if (!strcmp(style, "off"))
		options->json = JSON_OFF;
	else
		return complain_choice("style of JSON", style, styles);
	if (options->json == JSON_OFF)
		options->given &= ~(unsigned int)OPTION_JSON;
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
