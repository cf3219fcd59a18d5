/* SPDX-License-Identifier: GPL-2.0-only */

#include <inttypes.h>
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

void exits_trim(struct exits *exits, unsigned keep)
{
	if (exits->nr > keep)
		exits->nr = keep;
}

static void keep_dump(struct exits *exits, const struct exit_info *info, const char *dump)
{
	size_t n = strnlen(dump, sizeof(exits->dump) - 1);

	for (size_t i = 0; i < n; i++)
		exits->dump[i] = dump[i] == '\n' || dump[i] == '\t' ? dump[i] : printable(dump[i]);
	exits->dump[n] = '\0';
	exits->dump_realtime_us = info->realtime_us;
}

void exits_add(struct exits *exits, unsigned keep, const struct exit_info *info, const char *dump)
{
	if (dump[0])
		keep_dump(exits, info, dump);
	if (keep == 0)
		return;
	exits_trim(exits, (keep < EXITS_MAX ? keep : EXITS_MAX) - 1);
	memmove(&exits->list[1], &exits->list[0], exits->nr * sizeof(exits->list[0]));
	exits->list[0] = *info;
	exits->nr++;
}

void exits_mend(struct exits *exits)
{
	exits_trim(exits, EXITS_MAX);
	for (unsigned i = 0; i < exits->nr; i++) {
		struct exit_info *info = &exits->list[i];

		info->kind[sizeof(info->kind) - 1] = '\0';
		info->reason[sizeof(info->reason) - 1] = '\0';
		info->message[sizeof(info->message) - 1] = '\0';
	}
	exits->dump[sizeof(exits->dump) - 1] = '\0';
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
	if (!exits->dump[0]) {
		fputs("\nThe kernel has made no dump.\n", f);
		return;
	}
	fputs("\nThe kernel's dump of ", f);
	print_time(exits->dump_realtime_us, f);
	fprintf(f, "\n%s", exits->dump);
}
