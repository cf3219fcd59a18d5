/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "service/boot-guard.h"

/* In both files: in one the boots, in the other whether this one is among them. */
#define KEY_ATTEMPTS "boot.attempts"

enum { COMMAND_LINE_BYTES = 8192 };

static uint64_t get(const struct state_file *state)
{
	uint64_t number = 0;

	(void)state_get_number(state, KEY_ATTEMPTS, &number);
	return number;
}

unsigned boot_guard_unclean(const struct boot_guard *guard)
{
	const uint64_t all = get(guard->state), mine = get(guard->boot_state);

	return all > mine ? (unsigned)(all - mine) : 0;
}

/* The disk is written first: a crash between the two must not be missed. */
static int note(const struct boot_guard *guard, uint64_t all, uint64_t mine)
{
	int r;

	r = state_set_number(guard->state, KEY_ATTEMPTS, all);
	if (r < 0)
		return r;
	r = state_set_number(guard->boot_state, KEY_ATTEMPTS, mine);
	if (r < 0)
		return r;
	r = state_save(guard->state);
	if (r < 0)
		return r;
	return state_save(guard->boot_state);
}

int boot_guard_attempt(const struct boot_guard *guard)
{
	return note(guard, (uint64_t)boot_guard_unclean(guard) + 1, 1);
}

int boot_guard_clear(const struct boot_guard *guard)
{
	return note(guard, 0, 0);
}

bool boot_guard_says_off(const char *command_line)
{
	static const char *const words[] = { "donor.off", "donor.off=1", "donor.off=yes",
					     "donor.off=on", "donor.off=true" };
	static const char blanks[] = " \t\n";
	size_t length;

	for (const char *p = command_line; *p; p += length) {
		p += strspn(p, blanks);
		length = strcspn(p, blanks);
		if (length == 2 && strncmp(p, "--", 2) == 0)
			return false; /* what follows is for init */
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i]) == length && strncmp(p, words[i], length) == 0)
				return true;
	}
	return false;
}

static FILE *open_command_line(void)
{
	const char *directory = getenv("CREDENTIALS_DIRECTORY");
	char path[4096];
	FILE *f = NULL;

	if (directory) {
		(void)snprintf(path, sizeof(path), "%s/cmdline", directory);
		f = fopen(path, "re");
	}
	return f ?: fopen("/proc/cmdline", "re"); /* started by hand, without a sandbox */
}

bool boot_guard_is_off(void)
{
	_cleanup_(fclosep) FILE *f = open_command_line();
	char line[COMMAND_LINE_BYTES];

	return f && fgets(line, sizeof(line), f) && boot_guard_says_off(line);
}
