/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/cleanup.h"
#include "tests/sim/workload-json.h"

#define NSEC_PER_USEC 1000LL
#define LONGEST_USEC (24LL * 3600 * 1000000)

/* "task 'T', key 'K': ", as much of it as is known. */
static void describe_place(const struct reader *reader, const char *key, char *place, size_t size)
{
	*place = '\0';
	if (reader->task && key)
		snprintf(place, size, "task '%s', key '%s': ", reader->task, key);
	else if (reader->task)
		snprintf(place, size, "task '%s': ", reader->task);
	else if (key)
		snprintf(place, size, "key '%s': ", key);
}

int reader_fail(const struct reader *reader, const char *key, const char *format, ...)
{
	_cleanup_(freep) char *what = NULL;
	char place[256];
	va_list arguments;
	int r;

	va_start(arguments, format);
	r = vasprintf(&what, format, arguments);
	va_end(arguments);
	if (r < 0) {
		what = NULL;
		return -ENOMEM;
	}
	describe_place(reader, key, place, sizeof(place));
	if (asprintf(reader->ret_message, "%s: %s%s", reader->file, place, what) >= 0)
		return -EINVAL;
	*reader->ret_message = NULL;
	return -ENOMEM;
}

static unsigned line_of(const char *text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

static const char *skip_string(const char *text)
{
	for (text++; *text && *text != '"'; text++)
		if (*text == '\\' && text[1])
			text++;
	return text;
}

static const char *skip_comment(const char *text)
{
	const char *end = strstr(text + 2, text[1] == '*' ? "*/" : "\n");

	return end ? end : text + strlen(text) - 1;
}

/* Keys in the text, each followed by its colon. */
static unsigned count_written(const char *text)
{
	unsigned nr = 0;

	for (; *text; text++) {
		if (*text == '"')
			text = skip_string(text);
		else if (*text == '/' && (text[1] == '*' || text[1] == '/'))
			text = skip_comment(text);
		else
			nr += *text == ':';
		if (!*text)
			break;
	}
	return nr;
}

static unsigned count_read(struct json_object *value)
{
	unsigned nr = 0;

	if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; i < json_object_array_length(value); i++)
			nr += count_read(json_object_array_get_idx(value, i));
	if (!json_object_is_type(value, json_type_object))
		return nr;
	json_object_object_foreach(value, key, member) {
		(void)key;
		nr += 1 + count_read(member);
	}
	return nr;
}

/* Of two keys of one name json-c keeps the last: steps of a task would be lost without a word. */
static int check_keys(const struct reader *reader, const char *text, struct json_object *root)
{
	if (!json_object_is_type(root, json_type_object))
		return reader_fail(reader, NULL,
				   "is no JSON object; see WORKLOADS.md for what a workload is");
	if (count_written(text) != count_read(root))
		return reader_fail(reader, NULL,
				   "an object has the same key twice; number them, as in run1 and "
				   "run2");
	return 0;
}

struct json_object *reader_parse(const struct reader *reader, const char *text)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root;
	enum json_tokener_error error;
	size_t end;

	if (!tokener)
		return NULL;
	root = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error != json_tokener_success) {
		reader_fail(reader, NULL, "line %u is no JSON: %s; correct it", line_of(text, end),
			    json_tokener_error_desc(error));
		return NULL;
	}
	if (check_keys(reader, text, root) == 0)
		return root;
	json_object_put(root);
	return NULL;
}

int read_object(const struct reader *reader, const char *key, struct json_object *value)
{
	if (json_object_is_type(value, json_type_object))
		return 0;
	return reader_fail(reader, key, "is no object; write it in { }");
}

int read_string(const struct reader *reader, const char *key, struct json_object *value,
		const char **ret)
{
	if (!json_object_is_type(value, json_type_string))
		return reader_fail(reader, key, "is no string; write it in quotes");
	*ret = json_object_get_string(value);
	return 0;
}

int read_bool(const struct reader *reader, const char *key, struct json_object *value, bool *ret)
{
	if (!json_object_is_type(value, json_type_boolean))
		return reader_fail(reader, key, "must be true or false");
	*ret = json_object_get_boolean(value);
	return 0;
}

int read_number(const struct reader *reader, const char *key, struct json_object *value,
		__s64 least, __s64 most, __s64 *ret)
{
	__s64 number = json_object_get_int64(value);

	if (!json_object_is_type(value, json_type_int) || number < least || number > most)
		return reader_fail(reader, key, "must be a whole number from %lld to %lld", least,
				   most);
	*ret = number;
	return 0;
}

int read_share(const struct reader *reader, const char *key, struct json_object *value, double most,
	       double *ret)
{
	double share = json_object_get_double(value);

	if ((!json_object_is_type(value, json_type_double) &&
	     !json_object_is_type(value, json_type_int)) ||
	    !(share > 0 && share <= most))
		return reader_fail(reader, key, "must be a number above 0 and up to %g", most);
	*ret = share;
	return 0;
}

int read_time(const struct reader *reader, const char *key, struct json_object *value, __u64 *ret_ns)
{
	__s64 usec;

	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0 ||
	    json_object_get_int64(value) > LONGEST_USEC)
		return reader_fail(reader, key, "must be a time in whole microseconds, up to a day");
	usec = json_object_get_int64(value);
	*ret_ns = (__u64)(usec * NSEC_PER_USEC);
	return 0;
}

int read_cpus(const struct reader *reader, const char *key, struct json_object *value,
	      cpu_set_t *ret)
{
	__s64 cpu;
	int r;

	if (!json_object_is_type(value, json_type_array) || !json_object_array_length(value))
		return reader_fail(reader, key, "must be an array of CPUs, as in [0, 2, 3]");
	CPU_ZERO(ret);
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		r = read_number(reader, key, json_object_array_get_idx(value, i), 0,
				CPU_SETSIZE - 1, &cpu);
		if (r < 0)
			return r;
		CPU_SET((size_t)cpu, ret);
	}
	return 0;
}
