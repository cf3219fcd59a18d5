/* SPDX-License-Identifier: GPL-2.0-only */

#define SD_JOURNAL_SUPPRESS_LOCATION /* it would be this file's, always */

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>

#include "service/cleanup.h"
#include "service/log.h"

enum {
	LINE_BYTES = 2048,
	NR_OWN_FIELDS = 5, /* MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, MESSAGE_ID, ERRNO */
};

static const struct {
	const char *id;
	enum log_level level;
	const char *text;
} events[_EVENT_MAX] = {
#define LOG_EVENT(name, id, level, text) [EVENT_##name] = { id, LOG_LEVEL_##level, text },
#include "service/log-events.def"
#undef LOG_EVENT
};

static const struct {
	const char *name;
	size_t offset;
} field_places[] = {
#define LOG_FIELD(member, name) { name, offsetof(struct log_fields, member) },
#include "service/log-fields.def"
#undef LOG_FIELD
};

enum { NR_FIELDS = sizeof(field_places) / sizeof(field_places[0]) };

/* One write per line, so that lines of two processes do not mix. */
static void write_line(enum log_level level, const char *text)
{
	if (log_stderr_is_journal())
		fprintf(stderr, "<%d>%s\n", level, text);
	else
		fprintf(stderr, LOG_IDENTIFIER ": %s\n", text);
}

/* What the journal is sent: "NAME=value" each. */
struct entry {
	struct iovec parts[NR_OWN_FIELDS + NR_FIELDS];
	int nr;
};

static void entry_done(struct entry *entry)
{
	while (entry->nr > 0)
		free(entry->parts[--entry->nr].iov_base);
}

static void __attribute__((format(printf, 2, 3))) entry_add(struct entry *entry, const char *format,
							    ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n >= 0) /* else without that field */
		entry->parts[entry->nr++] = (struct iovec){ text, n };
}

static const char *field_value(const struct log_fields *fields, unsigned i)
{
	return *(const char *const *)((const char *)fields + field_places[i].offset);
}

static void send_entry(enum log_level level, const char *text, struct entry *entry)
{
	int r;

	entry_add(entry, "MESSAGE=%s", text);
	entry_add(entry, "PRIORITY=%d", level);
	entry_add(entry, "SYSLOG_IDENTIFIER=" LOG_IDENTIFIER);
	r = sd_journal_sendv(entry->parts, entry->nr);
	if (r < 0)
		write_line(level, text);
}

int log_line(enum log_level level, int r, const char *format, ...)
{
	_cleanup_(entry_done) struct entry entry = {};
	char text[LINE_BYTES];
	va_list args;

	if (!log_wants(level))
		return r;
	va_start(args, format);
	errno = -r; /* for %m */
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (log_get_target() == LOG_TARGET_CONSOLE) {
		write_line(level, text);
		return r;
	}
	if (r < 0)
		entry_add(&entry, "ERRNO=%d", -r);
	send_entry(level, text, &entry);
	return r;
}

static const char *field_by_name(const struct log_fields *fields, const char *name, size_t length)
{
	for (unsigned i = 0; i < NR_FIELDS; i++)
		if (strlen(field_places[i].name) == length &&
		    memcmp(field_places[i].name, name, length) == 0)
			return field_value(fields, i);
	return NULL;
}

void log_event_text(enum log_event event, const struct log_fields *fields, char *buf, size_t size)
{
	_cleanup_(fclosep) FILE *f = fmemopen(buf, size - 1, "w");
	const char *text = events[event].text;

	buf[0] = buf[size - 1] = '\0';
	while (f && *text) {
		const char *end = text[0] == '@' ? strchr(text + 1, '@') : NULL;

		if (end) {
			fputs(field_by_name(fields, text + 1, end - text - 1) ?: "?", f);
			text = end + 1;
		} else {
			fputc(*text++, f);
		}
	}
}

void log_event_fields(enum log_event event, const struct log_fields *fields)
{
	_cleanup_(entry_done) struct entry entry = {};
	enum log_level level = events[event].level;
	char text[LINE_BYTES];

	if (!log_wants(level))
		return;
	log_event_text(event, fields, text, sizeof(text));
	if (log_get_target() == LOG_TARGET_CONSOLE)
		return write_line(level, text);
	entry_add(&entry, "MESSAGE_ID=%s", events[event].id);
	for (unsigned i = 0; i < NR_FIELDS; i++)
		if (field_value(fields, i))
			entry_add(&entry, "%s=%s", field_places[i].name, field_value(fields, i));
	send_entry(level, text, &entry);
}
