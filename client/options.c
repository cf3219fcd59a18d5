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
#include "client/text.h"

enum {
	ARGUMENT_JSON = 256, /* above every letter */
	ARGUMENT_NO_LEGEND,
	ARGUMENT_CPU,
	ARGUMENT_WATCH,
	ARGUMENT_TIMEOUT,
	ARGUMENT_VERSION,
};

static const char letters[] = ":hqH:M:";

/* clang-format off */ /* one option per line reads as a table */
static const struct option table[] = {
	{ "json", optional_argument, NULL, ARGUMENT_JSON },
	{ "no-legend", no_argument, NULL, ARGUMENT_NO_LEGEND },
	{ "quiet", no_argument, NULL, 'q' },
	{ "host", required_argument, NULL, 'H' },
	{ "machine", required_argument, NULL, 'M' },
	{ "cpu", no_argument, NULL, ARGUMENT_CPU },
	{ "watch", optional_argument, NULL, ARGUMENT_WATCH },
	{ "timeout", required_argument, NULL, ARGUMENT_TIMEOUT },
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
	     "  -q --quiet             Print nothing on success\n"
	     "  -H --host=[USER@]HOST  Ask the service of another machine, over ssh\n"
	     "  -M --machine=NAME      Ask the service of a local container\n"
	     "     --cpu               Statistics of each CPU\n"
	     "     --watch[=SECONDS]   Statistics again and again, with rates\n"
	     "     --timeout=SECONDS   Give up after this time\n"
	     "  -h --help              Print this text\n"
	     "     --version           Print the version of donorctl");
}

const char *option_name(unsigned int flags)
{
	if (flags & OPTION_CPU)
		return "--cpu";
	return flags & OPTION_WATCH ? "--watch" : "--json";
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
