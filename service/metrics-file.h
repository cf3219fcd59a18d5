/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

#include "service/config.h"

/*
 * Writes a text to a file again and again, whole at once: the reader sees the old one or the new
 * one. All zero: none is written, and nothing wakes the service up.
 */

/* Makes the text, which is freed afterwards. */
typedef int (*metrics_make_t)(void *userdata, char **ret);

/* Called when writing fails that did not before: path and negative errno. */
typedef void (*metrics_complain_t)(void *userdata, const char *path, int r);

struct metrics_file {
	metrics_make_t make;
	metrics_complain_t complain;
	void *userdata;
	char path[CONFIG_PATH_BYTES];
	uint64_t interval_us;
	sd_event_source *timer;
	bool is_failing;
};

/* Write at once, and then at each interval. An empty path ends that. */
int metrics_file_set(struct metrics_file *file, sd_event *event, const char *path,
		     uint64_t interval_us);

/* Ends it. The file goes, too: figures of a service that is gone must not look alive. */
void metrics_file_done(struct metrics_file *file);
