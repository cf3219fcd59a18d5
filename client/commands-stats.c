/* SPDX-License-Identifier: GPL-2.0-only */
/* stats: the counters, once or again and again. */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "service/duration.h"
#include "client/exit-status.h"
#include "client/statistics-view.h"
#include "client/text.h"
#include "service/cleanup.h"

static int read_snapshot(struct bus_client *client, sd_bus_error *ret_error, struct snapshot *ret)
{
	if (client->options->given & OPTION_CPU)
		return snapshot_read_per_cpu(client, ret_error, ret);
	return snapshot_read(client, ret_error, ret);
}

static int print(const struct options *options, const struct statistics_view *view)
{
	if (options->json)
		return statistics_print_json(options, view);
	if (options->given & OPTION_CPU)
		return statistics_print_per_cpu(options, view);
	return statistics_print_sums(options, view);
}

static int sleep_until_next(struct timespec *next, uint64_t usec)
{
	int r;

	next->tv_sec += (time_t)(usec / USEC_PER_SEC);
	next->tv_nsec += (long)(usec % USEC_PER_SEC) * 1000;
	if (next->tv_nsec >= 1000000000) {
		next->tv_sec++;
		next->tv_nsec -= 1000000000;
	}
	do
		r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
	while (r == EINTR);
	return -r;
}

/* A terminal shows one picture that changes; anything else gets one after the other. */
static void start_picture(const struct options *options)
{
	if (options->json)
		return;
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
	else
		putchar('\n');
}

/* Ends when the service or the scheduler does, or by a signal. */
static int watch(struct bus_client *client, struct statistics_view *view)
{
	_cleanup_(snapshot_done) struct snapshot before = { 0 };
	struct timespec next;
	int r = STATUS_OK;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (r == STATUS_OK && !ferror(stdout)) {
		_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;

		fflush(stdout);
		r = sleep_until_next(&next, client->options->watch_usec);
		snapshot_done(&before);
		before = view->now;
		view->now = (struct snapshot){ 0 };
		view->before = &before;
		r = r < 0 ? r : read_snapshot(client, &error, &view->now);
		if (r < 0)
			return bus_complain(&error, r);
		start_picture(client->options);
		r = print(client->options, view);
	}
	return r;
}

static void view_done(struct statistics_view *view)
{
	snapshot_done(&view->now);
	descriptions_done(&view->descriptions);
}

int command_stats(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(view_done) struct statistics_view view = { 0 };
	int r;

	(void)words;
	r = descriptions_read(client, &error, &view.descriptions);
	if (r >= 0)
		r = read_snapshot(client, &error, &view.now);
	if (r < 0)
		return bus_complain(&error, r);
	/* rates need two looks, so the first picture of a watch has none */
	r = print(client->options, &view);
	if (r == STATUS_OK && client->options->given & OPTION_WATCH)
		r = watch(client, &view);
	return r;
}
