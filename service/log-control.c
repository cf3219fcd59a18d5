/* SPDX-License-Identifier: GPL-2.0-only */

/* How much is logged, and to where: as the environment, the configuration and LogControl1 say. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/log.h"

static const char *const level_names[_LOG_LEVEL_MAX] = {
	"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug",
};

static const char *const target_names[_LOG_TARGET_MAX] = {
	[LOG_TARGET_CONSOLE] = "console",
	[LOG_TARGET_JOURNAL] = "journal",
	[LOG_TARGET_NULL] = "null",
};

static enum log_target target;
static bool is_debug_forced;
static enum log_level most = LOG_LEVEL_INFO;

/*
 * JOURNAL_STREAM names the socket that the manager gave us. It is inherited further than stderr is,
 * so compare before believing it.
 */
bool log_stderr_is_journal(void)
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

	(void)log_set_target("auto");
	is_debug_forced = debug && strcmp(debug, "1") == 0;
	if (is_debug_forced)
		most = LOG_LEVEL_DEBUG;
}

void log_set_level(enum log_level level)
{
	most = level;
}

enum log_level log_get_level(void)
{
	return most;
}

void log_configure_level(enum log_level level)
{
	if (!is_debug_forced)
		most = level;
}

int log_level_from_string(const char *name, enum log_level *ret)
{
	for (enum log_level level = 0; level < _LOG_LEVEL_MAX; level++)
		if (strcmp(level_names[level], name) == 0) {
			*ret = level;
			return 0;
		}
	return -EINVAL;
}

const char *log_level_to_string(enum log_level level)
{
	return level < _LOG_LEVEL_MAX ? level_names[level] : "unknown";
}

int log_set_target(const char *name)
{
	if (strcmp(name, "auto") == 0) {
		target = log_stderr_is_journal() ? LOG_TARGET_JOURNAL : LOG_TARGET_CONSOLE;
		return 0;
	}
	for (enum log_target t = 0; t < _LOG_TARGET_MAX; t++)
		if (strcmp(target_names[t], name) == 0) {
			target = t;
			return 0;
		}
	return -EINVAL;
}

enum log_target log_get_target(void)
{
	return target;
}

const char *log_target_to_string(enum log_target t)
{
	return t < _LOG_TARGET_MAX ? target_names[t] : "unknown";
}

bool log_wants(enum log_level level)
{
	return level <= most && target != LOG_TARGET_NULL;
}
