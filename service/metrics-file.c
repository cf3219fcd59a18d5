/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "service/cleanup.h"
#include "service/metrics-file.h"

/* node_exporter takes only what ends in .prom, so it does not see this one. */
#define NEW_SUFFIX ".new"

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0)
			return -errno;
		text += n;
		left -= n;
	}
	return 0;
}

/* No fsync: after a crash these figures are of no use. */
static int write_new(const char *path, const char *text)
{
	_cleanup_(closep) int fd = -1;

	/* Others may own files in that directory: never write into one that we did not make. */
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || fchmod(fd, 0644) < 0) /* the service's umask is narrow */
		return -errno;
	return write_all(fd, text);
}

static int write_file(const char *path, const char *text)
{
	char new_path[CONFIG_PATH_BYTES + sizeof(NEW_SUFFIX)];
	int r;

	(void)snprintf(new_path, sizeof(new_path), "%s" NEW_SUFFIX, path);
	r = write_new(new_path, text);
	if (r >= 0 && rename(new_path, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(new_path);
	return r;
}

static void write_now(struct metrics_file *file)
{
	_cleanup_(freep) char *text = NULL;
	int r;

	r = file->make(file->userdata, &text);
	if (r >= 0)
		r = write_file(file->path, text);
	if (r < 0 && !file->is_failing)
		file->complain(file->userdata, file->path, r);
	file->is_failing = r < 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct metrics_file *file = userdata;
	int r;

	write_now(file);
	r = sd_event_source_set_time_relative(source, file->interval_us);
	return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int metrics_file_set(struct metrics_file *file, sd_event *event, const char *path,
		     uint64_t interval_us)
{
	if (file->timer && strcmp(file->path, path) == 0 && file->interval_us == interval_us)
		return 0;
	metrics_file_done(file);
	if (!path[0])
		return 0;
	(void)snprintf(file->path, sizeof(file->path), "%s", path);
	file->interval_us = interval_us;
	file->is_failing = false;
	write_now(file);
	/* A little late does no harm, and may save a wakeup. */
	return sd_event_add_time_relative(event, &file->timer, CLOCK_MONOTONIC, interval_us,
					  interval_us / 10, on_timer, file);
}

void metrics_file_done(struct metrics_file *file)
{
	file->timer = sd_event_source_disable_unref(file->timer);
	if (file->path[0] && !file->is_failing)
		(void)unlink(file->path);
	file->path[0] = '\0';
}
