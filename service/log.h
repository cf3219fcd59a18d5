/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Messages for the administrator. Only donord.c and manager.c write them; libraries return. */

/* As in syslog and in the journal: "<3>" is an error. */
enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_NOTICE = 5,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

/* Reads the environment: does stderr go to the journal, and is debug wanted (DONOR_DEBUG=1)? */
void log_open(void);

/* One line to stderr. `r` is a negative errno, or 0: %m says what it means. Returns r. */
int log_line(enum log_level level, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(...) ((void)log_line(LOG_LEVEL_ERROR, 0, __VA_ARGS__))
#define log_warning(...) ((void)log_line(LOG_LEVEL_WARNING, 0, __VA_ARGS__))
#define log_notice(...) ((void)log_line(LOG_LEVEL_NOTICE, 0, __VA_ARGS__))
#define log_info(...) ((void)log_line(LOG_LEVEL_INFO, 0, __VA_ARGS__))
#define log_debug(...) ((void)log_line(LOG_LEVEL_DEBUG, 0, __VA_ARGS__))
#define log_error_errno(r, ...) log_line(LOG_LEVEL_ERROR, r, __VA_ARGS__)
#define log_warning_errno(r, ...) log_line(LOG_LEVEL_WARNING, r, __VA_ARGS__)
