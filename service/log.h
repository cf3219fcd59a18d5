/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Messages for the administrator. Only donord.c, the manager and the bus files write them;
 * libraries return. What happens to the scheduler is an event of log-events.def: with an id and
 * with fields, so that the journal can be asked for it. All else is a line.
 */

/* As in syslog and in the journal. */
enum log_level {
	LOG_LEVEL_EMERGENCY,
	LOG_LEVEL_ALERT,
	LOG_LEVEL_CRITICAL,
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_NOTICE,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	_LOG_LEVEL_MAX,
};

enum log_target {
	LOG_TARGET_CONSOLE, /* stderr */
	LOG_TARGET_JOURNAL,
	LOG_TARGET_NULL,
	_LOG_TARGET_MAX,
};

#define LOG_IDENTIFIER "donord"

/* Reads the environment: does stderr go to the journal, and is debug wanted (DONOR_DEBUG=1)? */
void log_open(void);

/* More than this is not written. The names are systemd's: "err", "debug". -EINVAL: no such name. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);
int log_level_from_string(const char *name, enum log_level *ret);
const char *log_level_to_string(enum log_level level);

/* What the configuration says; DONOR_DEBUG=1 outlasts it. */
void log_configure_level(enum log_level level);

/* "auto" is what stderr leads to. -EINVAL: no such target. */
int log_set_target(const char *name);
enum log_target log_get_target(void);
const char *log_target_to_string(enum log_target target);

/* For log.c. */
bool log_wants(enum log_level level);
bool log_stderr_is_journal(void);

/* One line. `r` is a negative errno, or 0: %m says what it means. Returns r. */
int log_line(enum log_level level, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_error(...) ((void)log_line(LOG_LEVEL_ERROR, 0, __VA_ARGS__))
#define log_warning(...) ((void)log_line(LOG_LEVEL_WARNING, 0, __VA_ARGS__))
#define log_notice(...) ((void)log_line(LOG_LEVEL_NOTICE, 0, __VA_ARGS__))
#define log_info(...) ((void)log_line(LOG_LEVEL_INFO, 0, __VA_ARGS__))
#define log_debug(...) ((void)log_line(LOG_LEVEL_DEBUG, 0, __VA_ARGS__))
#define log_error_errno(r, ...) log_line(LOG_LEVEL_ERROR, r, __VA_ARGS__)
#define log_warning_errno(r, ...) log_line(LOG_LEVEL_WARNING, r, __VA_ARGS__)

enum log_event {
#define LOG_EVENT(name, id, level, text) EVENT_##name,
#include "service/log-events.def"
#undef LOG_EVENT
	_EVENT_MAX,
};

/* What is not given is not sent. */
struct log_fields {
#define LOG_FIELD(member, name) const char *member;
#include "service/log-fields.def"
#undef LOG_FIELD
};

/* log_event(EVENT_MODE_CHANGED, .mode = "power", .mode_old = "balanced", .reason = who); */
#define log_event(event, ...) log_event_fields(event, &(const struct log_fields){ __VA_ARGS__ })
void log_event_fields(enum log_event event, const struct log_fields *fields);

/* The line of an event, its fields filled in; "?" stands for one that is not given. */
void log_event_text(enum log_event event, const struct log_fields *fields, char *buf, size_t size);
