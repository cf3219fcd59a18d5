/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <json-c/json.h>
#include <linux/types.h>
#include <sched.h>
#include <stdbool.h>

/* Values of a JSON file, and complaints that say where it is wrong. */

struct reader {
	const char *file;
	const char *task; /* NULL outside of tasks */
	char **ret_message;
};

/* "FILE: task 'T', key 'K': ..." into *ret_message; returns -EINVAL. key may be NULL. */
int reader_fail(const struct reader *reader, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The root object, to be put; NULL with a message. */
struct json_object *reader_parse(const struct reader *reader, const char *text);

/* Each returns 0, or -EINVAL with a message. */
int read_object(const struct reader *reader, const char *key, struct json_object *value);
int read_string(const struct reader *reader, const char *key, struct json_object *value,
		const char **ret);
int read_bool(const struct reader *reader, const char *key, struct json_object *value, bool *ret);
int read_number(const struct reader *reader, const char *key, struct json_object *value,
		__s64 least, __s64 most, __s64 *ret);
int read_share(const struct reader *reader, const char *key, struct json_object *value, double most,
	       double *ret);
int read_time(const struct reader *reader, const char *key, struct json_object *value,
	      __u64 *ret_ns);
int read_cpus(const struct reader *reader, const char *key, struct json_object *value,
	      cpu_set_t *ret);
