/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/state-file.h"

#define FILE_NAME "state"
#define NEW_NAME "state.new"

enum { MOST_BYTES = 16 << 20 }; /* all holds that can be allowed, with the longest texts */

struct state_file {
	int directory; /* -1: there is none */
	struct json_object *values;
	char *saved; /* the file's text; NULL: not known */
	int error;
};

static struct json_object *parse(int fd)
{
	struct json_object *values = json_object_from_fd(fd);

	if (json_object_is_type(values, json_type_object))
		return values;
	json_object_put(values);
	return NULL;
}

static int read_file(struct state_file *state)
{
	_cleanup_(closep) int fd = -1;
	struct json_object *values;
	struct stat st;

	fd = openat(state->directory, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > MOST_BYTES)
		return -EBADMSG;
	values = parse(fd);
	if (!values)
		return -EBADMSG;
	json_object_put(state->values);
	state->values = values;
	return 0;
}

int state_open(struct state_file **ret, const char *directory)
{
	_cleanup_(state_freep) struct state_file *state = calloc(1, sizeof(*state));

	if (!state)
		return -ENOMEM;
	state->directory = -1;
	state->values = json_object_new_object();
	if (!state->values)
		return -ENOMEM;
	if (directory) {
		state->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		state->error = state->directory < 0 ? -errno : read_file(state);
	}
	*ret = steal_pointer(state);
	return 0;
}

struct state_file *state_free(struct state_file *state)
{
	if (!state)
		return NULL;
	closep(&state->directory);
	json_object_put(state->values);
	free(state->saved);
	free(state);
	return NULL;
}

int state_error(const struct state_file *state)
{
	return state->error;
}

bool state_get_text(const struct state_file *state, const char *key, char *ret, size_t size)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(state->values, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return false;
	text = json_object_get_string(value);
	if (strlen(text) >= size)
		return false;
	memset(ret, 0, size); /* nothing of what stood there before */
	memcpy(ret, text, strlen(text));
	return true;
}

bool state_get_number(const struct state_file *state, const char *key, uint64_t *ret)
{
	struct json_object *value;

	if (!json_object_object_get_ex(state->values, key, &value) ||
	    !json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
		return false;
	*ret = json_object_get_uint64(value);
	return true;
}

static int set(struct state_file *state, const char *key, struct json_object *value)
{
	if (!value)
		return -ENOMEM;
	if (json_object_object_add(state->values, key, value) == 0)
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

int state_set_text(struct state_file *state, const char *key, const char *text)
{
	return set(state, key, json_object_new_string(text));
}

int state_set_number(struct state_file *state, const char *key, uint64_t number)
{
	return set(state, key, json_object_new_uint64(number));
}

void state_remove(struct state_file *state, const char *prefix)
{
	/* Its own loop fetches the next entry before the body runs, so that it may be removed. */
	json_object_object_foreach(state->values, key, value) {
		(void)value;
		if (strncmp(key, prefix, strlen(prefix)) == 0)
			json_object_object_del(state->values, key);
	}
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		left -= n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

static int write_new(int directory, const char *text)
{
	_cleanup_(closep) int fd = -1;

	fd = openat(directory, NEW_NAME,
		    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	if (fd < 0)
		return -errno;
	return write_all(fd, text);
}

static int replace(int directory, const char *text)
{
	int r;

	r = write_new(directory, text);
	if (r >= 0 && renameat(directory, NEW_NAME, directory, FILE_NAME) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(directory, NEW_NAME, 0);
		return r;
	}
	return fsync(directory) < 0 ? -errno : 0;
}

int state_save(struct state_file *state)
{
	_cleanup_(freep) char *text = NULL;
	int r;

	if (state->directory < 0)
		return -ENXIO;
	if (asprintf(&text, "%s\n",
		     json_object_to_json_string_ext(state->values, JSON_C_TO_STRING_PRETTY)) < 0)
		return -ENOMEM;
	if (state->saved && strcmp(text, state->saved) == 0)
		return 0;
	r = replace(state->directory, text);
	if (r < 0)
		return r;
	free(state->saved);
	state->saved = steal_pointer(text);
	return 0;
}
