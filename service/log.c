/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/log.h"

static bool to_journal;
static enum log_level most = LOG_LEVEL_INFO;

/*
 * JOURNAL_STREAM names the socket that the manager gave us. It is inherited further than stderr is,
 * so compare before believing it.
 */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uintmax_t device, inode;
	struct stat st;

	if (!stream || sscanf(stream, "%" SCNuMAX ":%" SCNuMAX, &device, &inode) != 2)
		return false;
	return fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_open(void)
{
	const char *debug = getenv("DONOR_DEBUG");

	to_journal = stderr_is_journal();
	if (debug && strcmp(debug, "1") == 0)
		most = LOG_LEVEL_DEBUG;
}

int log_line(enum log_level level, int r, const char *format, ...)
{
	char text[2048];
	va_list args;

	if (level > most)
		return r;
	va_start(args, format);
	errno = -r; /* for %m */
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* One write per line, so that lines of two processes do not mix. */
	if (to_journal)
		fprintf(stderr, "<%d>%s\n", level, text);
	else
		fprintf(stderr, "donord: %s\n", text);
	return r;
}
