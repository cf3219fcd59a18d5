/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <time.h>

#include "service/holds-watch.h"

struct hold_watch {
	uint32_t cookie;
	hold_over_t over;
	void *userdata;
	sd_event_source *timer;
	sd_event_source *process;
	sd_bus_track *owner;
};

static int on_time_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	const struct hold_watch *watch = userdata;

	watch->over(watch->userdata, watch->cookie, HOLD_TIMED_OUT);
	return 0;
}

static int on_process_ended(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	const struct hold_watch *watch = userdata;

	watch->over(watch->userdata, watch->cookie, HOLD_PROCESS_ENDED);
	return 0;
}

static int on_owner_left(sd_bus_track *track, void *userdata)
{
	const struct hold_watch *watch = userdata;

	watch->over(watch->userdata, watch->cookie, HOLD_OWNER_LEFT);
	return 0;
}

/* Signal 0 is never sent. Any other answer than these two comes from a process: EPERM as well. */
static int check_pidfd(int fd)
{
	if (pidfd_send_signal(fd, 0, NULL, 0) < 0 && (errno == EBADF || errno == ESRCH))
		return -errno;
	return 0;
}

static int watch_process(struct hold_watch *watch, sd_event *event, int pidfd)
{
	_cleanup_(closep) int fd = -1;
	int r;

	r = check_pidfd(pidfd);
	if (r < 0)
		return r;
	fd = fcntl(pidfd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return -errno;
	r = sd_event_add_io(event, &watch->process, fd, EPOLLIN, on_process_ended, watch);
	if (r < 0)
		return r;
	r = sd_event_source_set_io_fd_own(watch->process, true);
	if (r < 0)
		return r;
	(void)steal_fd(fd);
	return 0;
}

/* Asks the bus as well whether the owner is there still. */
static int watch_owner(struct hold_watch *watch, sd_bus *bus, const char *owner)
{
	int r;

	r = sd_bus_track_new(bus, &watch->owner, on_owner_left, watch);
	if (r < 0)
		return r;
	r = sd_bus_track_add_name(watch->owner, owner);
	return r == -ENXIO ? -ESRCH : r;
}

static int watch_time(struct hold_watch *watch, sd_event *event, uint64_t ends_us)
{
	if (ends_us == 0)
		return 0;
	return sd_event_add_time(event, &watch->timer, CLOCK_BOOTTIME, ends_us, 0, on_time_over,
				 watch);
}

int hold_watch_new(struct hold_watch **ret, sd_bus *bus, const struct hold *hold, int pidfd,
		   hold_over_t over, void *userdata)
{
	_cleanup_(hold_watch_freep) struct hold_watch *watch =
		calloc(1, sizeof(*watch));
	sd_event *event = sd_bus_get_event(bus);
	int r;

	if (!watch)
		return -ENOMEM;
	watch->cookie = hold->cookie;
	watch->over = over;
	watch->userdata = userdata;
	r = watch_time(watch, event, hold->ends_us);
	if (r < 0)
		return r;
	if (pidfd >= 0)
		r = watch_process(watch, event, pidfd);
	else
		r = watch_owner(watch, bus, hold->owner);
	if (r < 0)
		return r;
	*ret = steal_pointer(watch);
	return 0;
}

struct hold_watch *hold_watch_free(struct hold_watch *watch)
{
	if (!watch)
		return NULL;
	sd_event_source_disable_unref(watch->timer);
	sd_event_source_disable_unref(watch->process);
	sd_bus_track_unref(watch->owner);
	free(watch);
	return NULL;
}
