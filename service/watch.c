/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include "service/kernel.h"
#include "service/watch.h"

enum {
	POLL_US = 1000 * 1000,
	ACCURACY_US = 10 * 1000,
};

struct watch {
	sd_event *event;
	int fd; /* or why there is none */
	sd_event_source *io;
	sd_event_source *timer;
	watch_handler_t handler;
	void *userdata;
};

static int on_announcement(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct watch *watch = userdata;

	return kernel_watch_drain(fd) ? watch->handler(watch->userdata) : 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct watch *watch = userdata;

	/* The handler may ask for a shorter time. */
	if (watch->fd < 0)
		(void)watch_again(watch, POLL_US);
	return watch->handler(watch->userdata);
}

int watch_again(struct watch *watch, uint64_t delay_us)
{
	watch->timer = sd_event_source_disable_unref(watch->timer);
	return sd_event_add_time_relative(watch->event, &watch->timer, CLOCK_MONOTONIC, delay_us,
					  ACCURACY_US, on_timer, watch);
}

int watch_error(const struct watch *watch)
{
	return watch->fd < 0 ? watch->fd : 0;
}

int watch_new(struct watch **ret, sd_event *event, watch_handler_t handler, void *userdata)
{
	_cleanup_(watch_freep) struct watch *watch = NULL;
	int r;

	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -ENOMEM;
	watch->event = sd_event_ref(event);
	watch->handler = handler;
	watch->userdata = userdata;
	watch->fd = kernel_watch_open();
	if (watch->fd < 0)
		r = watch_again(watch, POLL_US);
	else
		r = sd_event_add_io(event, &watch->io, watch->fd, EPOLLIN, on_announcement, watch);
	if (r < 0)
		return r;
	*ret = steal_pointer(watch);
	return 0;
}

struct watch *watch_free(struct watch *watch)
{
	if (!watch)
		return NULL;
	sd_event_source_disable_unref(watch->io);
	sd_event_source_disable_unref(watch->timer);
	closep(&watch->fd);
	sd_event_unref(watch->event);
	free(watch);
	return NULL;
}
