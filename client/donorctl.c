/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * donorctl, the command line of donord: finds the command that the words name, checks what can be
 * checked without the service, and runs it. The help is made from the same table.
 */
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "client/command.h"
#include "client/commands.h"
#include "client/complete.h"
#include "client/exit-status.h"
#include "client/options.h"
#include "client/text.h"
#include "service/cleanup.h"

/* clang-format off */ /* one command per line reads as a table */
const struct command commands[] = {
	{ "status", "", 0, 0, OPTION_JSON, "Show what the scheduler does (default)",
	  command_status },
	{ "get", "", 0, 0, OPTION_JSON, "Print the mode", command_get },
	{ "set", "MODE [--for=TIME]", 1, 1,
	  OPTION_UNTIL | OPTION_FOR | OPTION_PERSIST | OPTION_REASON | OPTION_KEEP_HOLDS,
	  "Choose a mode", command_set },
	{ "release", "", 0, 0, 0, "End that choice", command_release },
	{ "run", "-m MODE -- CMD...", 1, INT_MAX, OPTION_MODE | OPTION_REASON,
	  "Hold a mode while a command runs", command_run },
	{ "holds", "", 0, 0, OPTION_JSON, "List the modes that programs hold", command_holds },
	{ "modes", "", 0, 0, OPTION_JSON, "List the modes and their parameters", command_modes },
	{ "donation", "[HOOK [on|off|auto]]", 0, 2, OPTION_JSON | OPTION_PERSIST,
	  "Show or switch donation", command_donation },
	{ "tune", "[NAME [VALUE|auto]]", 0, 2, OPTION_JSON | OPTION_MODE | OPTION_PERSIST,
	  "Show or set parameters", command_tune },
	{ "stats", "[--cpu] [--watch[=SEC]]", 0, 0, OPTION_JSON | OPTION_CPU | OPTION_WATCH,
	  "Print the scheduler's counters", command_stats },
	{ "domains", "", 0, 0, OPTION_JSON, "List what tasks move between",
	  command_domains },
	{ "top", "[--once]", 0, 0, OPTION_ONCE, "Watch the domains and what they give",
	  command_top },
	{ "monitor", "", 0, 0, OPTION_JSON, "Print what happens, as it happens", command_monitor },
	{ "metrics", "[--http]", 0, 0, OPTION_HTTP, "Print all figures as OpenMetrics",
	  command_metrics },
	{ "attach", "", 0, 0, 0, "Attach the scheduler", command_attach },
	{ "detach", "", 0, 0, 0, "Detach it; the kernel's own takes over", command_detach },
	{ "config", "", 0, 0, OPTION_JSON, "Show the configuration and its origins",
	  command_config },
	{ "reload", "", 0, 0, 0, "Read the configuration again", command_reload },
	{ "exits", "[--dump]", 0, 0, OPTION_JSON | OPTION_DUMP, "List how the scheduler ended",
	  command_exits },
	{ "reset-failed", "", 0, 0, 0, "Forget earlier failures", command_reset_failed },
	{ "wait", "STATE [--timeout=SEC]", 1, 1, 0, "Wait until the service is in this state",
	  command_wait },
	{ "verify", "", 0, 0, OPTION_JSON, "Compare wish, properties and kernel",
	  command_verify },
	{ "log-level", "[LEVEL]", 0, 1, OPTION_JSON, "Show or change how much the service logs",
	  command_log_level },
	{ "doctor", "", 0, 0, OPTION_JSON, "Find out what keeps donor from working",
	  command_doctor },
	{ "version", "", 0, 0, OPTION_JSON, "Print the versions",
	  command_version },
	{ "help", "[COMMAND]", 0, 1, 0, "Print this text", command_help },
};
/* clang-format on */

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

const size_t nr_commands = NR_COMMANDS;

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int complain_command(const char *name)
{
	const char *names[NR_COMMANDS + 1] = { NULL };

	for (size_t i = 0; i < NR_COMMANDS; i++)
		names[i] = commands[i].name;
	return complain_choice("command", name, names);
}

#define WORDS_WIDTH 23

/* A command with many words has its text on a line of its own. */
static void print_command(const struct command *command)
{
	int width = 0, length;

	for (size_t i = 0; i < NR_COMMANDS; i++) {
		length = (int)strlen(commands[i].name);
		width = length > width ? length : width;
	}
	printf("  %-*s %-*s ", width, command->name, WORDS_WIDTH, command->words);
	if (strlen(command->words) > WORDS_WIDTH)
		printf("\n  %-*s %-*s ", width, "", WORDS_WIDTH, "");
	puts(command->help);
}

int command_help(struct bus_client *client, char **words)
{
	const struct command *only = NULL;

	(void)client;
	if (words[0]) {
		only = command_find(words[0]);
		if (!only)
			return complain_command(words[0]);
		printf("donorctl %s %s\n    %s\n", only->name, only->words, only->help);
		return STATUS_OK;
	}
	puts("donorctl [OPTIONS] [COMMAND]\n\n"
	     "Shows and controls donor, the CPU scheduler.\n\nCommands:");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		print_command(&commands[i]);
	putchar('\n');
	options_print_help();
	puts("\nSee donorctl(1) for the exit status and the JSON keys.");
	return STATUS_OK;
}

static int check_words(const struct command *command, int nr, char **words)
{
	if (nr < command->least) {
		complain("%s needs one more word; usage: donorctl %s %s", command->name,
			 command->name, command->words);
		return STATUS_USAGE;
	}
	if (nr > command->most) {
		complain("%s does not know what to do with '%s'; usage: donorctl %s %s",
			 command->name, safe(words[command->most]), command->name, command->words);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int check_options(const struct command *command, const struct options *options)
{
	unsigned int surplus = options->given & ~command->options;

	if (!surplus)
		return STATUS_OK;
	complain("%s has no option %s; see donorctl help", command->name, option_name(surplus));
	return STATUS_USAGE;
}

/* A program that is run keeps its output. */
static int be_quiet(const struct command *command)
{
	if (command->run == command_run || freopen("/dev/null", "w", stdout))
		return STATUS_OK;
	complain("cannot be quiet: %m. Leave out --quiet");
	return STATUS_FAILED;
}

static int run_command(const struct options *options, int nr, char **words)
{
	static char *no_words[] = { NULL };
	_cleanup_(bus_client_done) struct bus_client client = { .options = options };
	const struct command *command = nr ? command_find(words[0]) : &commands[0];
	int r;

	if (!command)
		return complain_command(words[0]);
	if (options->has_timeout) /* 0 would be no limit */
		client.call_timeout_usec = options->timeout_usec ? options->timeout_usec : 1;
	r = check_options(command, options);
	if (!r && nr)
		r = check_words(command, nr - 1, words + 1);
	if (!r && options->quiet)
		r = be_quiet(command);
	return r ? r : command->run(&client, nr ? words + 1 : no_words);
}

static int run(const struct options *options, int nr, char **words)
{
	static char *no_words[] = { NULL };

	if (options->help)
		return command_help(NULL, nr && command_find(words[0]) ? words : no_words);
	if (options->version) {
		puts("donorctl " DONOR_VERSION);
		return STATUS_OK;
	}
	return run_command(options, nr, words);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int r, nr_words;

	/* not LC_NUMERIC: figures are for scripts as well */
	setlocale(LC_CTYPE, "");
	setlocale(LC_TIME, "");
	if (argc > 1 && !strcmp(argv[1], "__complete")) /* by the shells' completions */
		return complete(argc - 2, argv + 2);
	r = options_parse(argc, argv, &options, &nr_words);
	if (!r)
		r = run(&options, nr_words, argv + 1);
	if ((fflush(stdout) || ferror(stdout)) && r == STATUS_OK) {
		complain("cannot write the output: %m. Is the disk full?");
		r = STATUS_FAILED;
	}
	return r;
}
