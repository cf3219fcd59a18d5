/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/exits.h"

/* enum scx_exit_kind and the fields of an exit code; these never changed their values. */
enum { KIND_SYSRQ = 67 };
#define CODE_ACTION_RESTART (1LL << 48)

enum exit_cause exit_cause(uint32_t kind, int64_t code)
{
	if (kind == KIND_SYSRQ)
		return EXIT_ORDER;
	return code & CODE_ACTION_RESTART ? EXIT_RESTART : EXIT_FAULT;
}

static char printable(char c)
{
	return c >= ' ' && c <= '~' ? c : '?';
}

void exit_copy_text(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	for (size_t i = 0; i < n; i++)
		to[i] = printable(from[i]);
	to[n] = '\0';
}

int exits_keep(struct exits *exits, unsigned keep)
{
	struct exit_info *list;

	if (keep == exits->keep)
		return 0;
	list = reallocarray(exits->list, keep ?: 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	exits->list = list;
	exits->keep = keep;
	if (exits->nr > keep)
		exits->nr = keep;
	return 0;
}

void exits_done(struct exits *exits)
{
	free(exits->list);
	free(exits->dump);
	*exits = (struct exits){};
}

static void keep_dump(struct exits *exits, const struct exit_info *info, const char *dump)
{
	char *copy = strdup(dump);

	if (!copy)
		return;
	for (char *p = copy; *p; p++)
		*p = *p == '\n' || *p == '\t' ? *p : printable(*p);
	free(exits->dump);
	exits->dump = copy;
	exits->dump_realtime_us = info->realtime_us;
}

void exits_add(struct exits *exits, const struct exit_info *info, const char *dump)
{
	if (dump && dump[0])
		keep_dump(exits, info, dump);
	if (exits->keep == 0)
		return;
	if (exits->nr < exits->keep)
		exits->nr++;
	memmove(&exits->list[1], &exits->list[0], (exits->nr - 1) * sizeof(exits->list[0]));
	exits->list[0] = *info;
}

static void print_time(uint64_t realtime_us, FILE *f)
{
	time_t seconds = (time_t)(realtime_us / 1000000);
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	fputs(text, f);
}

static void print_exit(const struct exit_info *info, FILE *f)
{
	print_time(info->realtime_us, f);
	fprintf(f, "  %s, code %#" PRIx64 ", attached for %" PRIu64 ".%03u s\n", info->kind,
		(uint64_t)info->code, info->attached_us / 1000000,
		(unsigned)(info->attached_us / 1000 % 1000));
	if (info->reason[0] || info->message[0])
		fprintf(f, "    %s%s%s\n", info->reason,
			info->reason[0] && info->message[0] ? ": " : "", info->message);
}

void exits_print(const struct exits *exits, FILE *f)
{
	fprintf(f, "%u exits of the scheduler are known, the latest first\n", exits->nr);
	for (unsigned i = 0; i < exits->nr; i++)
		print_exit(&exits->list[i], f);
	if (!exits->dump) {
		fputs("\nThe kernel has made no dump.\n", f);
		return;
	}
	fputs("\nThe kernel's dump of ", f);
	print_time(exits->dump_realtime_us, f);
	fprintf(f, "\n%s", exits->dump);
}
