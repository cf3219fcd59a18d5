/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/choices.h"
#include "client/command.h"
#include "client/exit-status.h"
#include "client/modes.h"
#include "client/options.h"
#include "client/service-state.h"

/* Lists end with NULL. */
static const char *const system_commands[] = { ":command", NULL };
static const char *const knobs[] = {
#define KNOB(name, ...) #name,
#include "bpf/knobs.def"
#undef KNOB
	NULL
};

/* What the words of the help stand for. */
static const struct kind {
	const char *word;
	const char *const *choices;
} kinds[] = {
	{ "MODE", mode_names },	    { "HOOK", hook_names },	{ "STATE", state_choices },
	{ "LEVEL", level_choices }, { "STYLE", style_choices }, { "NAME", knobs },
	{ "CMD", system_commands }, { "EVENT", event_choices },
};

/* A word in capitals stands for its choices, or for something that only the reader knows. */
static void print_choice(const char *prefix, const char *word, size_t length)
{
	if (*word >= 'a' && *word <= 'z') {
		printf("%s%.*s\n", prefix, (int)length, word);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].word) != length || memcmp(kinds[i].word, word, length))
			continue;
		for (const char *const *choice = kinds[i].choices; *choice; choice++)
			printf("%s%s\n", prefix, *choice);
	}
}

/* "MODE", or one of several as in "on|off|auto". */
static void print_word(const char *prefix, const char *word, size_t length)
{
	size_t part;

	for (; length; word += part, length -= part) {
		part = strcspn(word, "|") < length ? strcspn(word, "|") : length;
		print_choice(prefix, word, part);
		part += part < length;
	}
}

static void print_commands(void)
{
	for (size_t i = 0; i < nr_commands; i++)
		printf("%s\t%s\n", commands[i].name, commands[i].help);
}

/*
 * The word at that place in "[HOOK [on|off|auto]]" or "STATE [--timeout=SEC]": options and their
 * values are no words. "..." stands for more of the last.
 */
static const char *find_word(const char *text, size_t place, size_t *ret_length)
{
	static const char separators[] = "[] ", ends[] = "[]= .";
	const char *last = NULL;
	bool is_value = false;

	for (; *(text += strspn(text, separators)); text += strcspn(text, separators)) {
		if (*text == '-') {
			/* "-m MODE", but not "-- CMD" nor "--for=TIME" */
			is_value = text[1] != '-' && text[strcspn(text, separators)] == ' ';
			continue;
		}
		if (!is_value && *text != '=' && *text != '.') {
			last = text;
			*ret_length = strcspn(text, ends);
			if (!place--)
				return text;
		}
		is_value = false;
	}
	return last && strstr(last, "...") ? last : NULL;
}

static void print_argument(const struct command *command, size_t place)
{
	size_t length;
	const char *word = find_word(command->words, place, &length);

	if (!word)
		return;
	if (length == strlen("COMMAND") && !memcmp(word, "COMMAND", length))
		print_commands();
	else
		print_word("", word, length);
}

static void print_options(const struct command *command)
{
	const struct option_view *option;

	for (size_t i = 0; (option = option_view(i)); i++)
		if (!option->flag ||
		    (command ? command->options : commands[0].options) & option->flag)
			printf("--%s%s\t%s\n", option->name,
			       option->argument && !option->is_argument_optional ? "=" : "",
			       option->help);
}

/* "--json=" and what was begun behind it. */
static void print_value(const char *word)
{
	size_t length = strcspn(word, "=");
	const struct option_view *option = option_find(word, length);
	char prefix[64];

	if (!option || !option->argument || length >= sizeof(prefix) - 1)
		return;
	snprintf(prefix, sizeof(prefix), "%.*s=", (int)length, word);
	print_word(prefix, option->argument, strlen(option->argument));
}

/* Whether the word is an option whose value is the next word. */
static const struct option_view *option_before(const char *word)
{
	const struct option_view *option =
		*word == '-' && !strchr(word, '=') ? option_find(word, strlen(word)) : NULL;

	return option && option->argument && !option->is_argument_optional ? option : NULL;
}

int complete(int nr, char **words)
{
	const struct option_view *before = NULL;
	const struct command *command = NULL;
	const char *current = nr ? words[nr - 1] : "";
	bool is_over = false; /* after "--" there are no options */
	size_t place = 0;

	for (int i = 0; i < nr - 1; i++) {
		if (before) {
			before = NULL;
			continue;
		}
		before = is_over ? NULL : option_before(words[i]);
		if (!strcmp(words[i], "--"))
			is_over = true;
		else if (*words[i] == '-' && !is_over)
			continue;
		else if (!command)
			command = command_find(words[i]);
		else
			place++;
	}
	if (before)
		print_word("", before->argument, strlen(before->argument));
	else if (*current == '-' && !is_over && strchr(current, '='))
		print_value(current);
	else if (*current == '-' && !is_over)
		print_options(command);
	else if (command)
		print_argument(command, place);
	else
		print_commands();
	return STATUS_OK;
}
