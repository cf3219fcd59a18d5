/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top: a picture of the domains each second, until q. On what is no terminal, or with --once, it
 * is one picture; on a terminal that can only print lines, one below the other.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "client/bus-error.h"
#include "client/commands.h"

#include "client/exit-status.h"
#include "client/terminal.h"
#include "client/text.h"
#include "client/top-frame.h"
#include "service/cleanup.h"
#include "service/duration.h"

/* The picture stands still meanwhile, so not for long. */
#define ANSWER_USEC (2 * USEC_PER_SEC)

struct top {
	struct bus_client *client;
	sd_event *event;
	struct top_view view;
	bool is_live;
};

static void top_done(struct top *top)
{
	terminal_leave();
	service_state_done(&top->view.state);
	domains_done(&top->view.now);
	domains_done(&top->view.before);
	sd_event_unref(top->event);
}

/* The scheduler may leave between the calls, so only the state has to be there. */
static int read_view(struct bus_client *client, sd_bus_error *ret_error, struct top_view *view)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	service_state_done(&view->state);
	domains_done(&view->before);
	view->before = view->now;
	view->now = (struct domains){ 0 };
	view->has_domains = false;
	r = service_state_read(client, ret_error, &view->state);
	if (r < 0)
		return r;
	if (service_state_is_attached(&view->state))
		view->has_domains = domains_read(client, &error, &view->now) >= 0;
	return 0;
}

static void print_view(const struct top *top)
{
	struct top_size size = { .is_live = top->is_live };
	unsigned int rows;

	terminal_size(&size.columns, &rows);
	if (top->is_live)
		size.rows = rows;
	top_frame_print(stdout, &top->view, &size);
	fflush(stdout);
}

static void look(struct top *top)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	int r;

	r = read_view(top->client, &error, &top->view);
	top->view.absent = NULL;
	if (r < 0)
		top->view.absent = bus_is_unreachable(&error, r)
					   ? "donord does not answer; waiting for it"
					   : "donord does not tell; see: donorctl status";
}

static int on_tick(sd_event_source *source, uint64_t usec, void *data)
{
	struct top *top = data;
	int r;

	(void)usec;
	look(top);
	print_view(top);
	if (ferror(stdout))
		return sd_event_exit(top->event, STATUS_FAILED);
	r = sd_event_source_set_time_relative(source, USEC_PER_SEC);
	return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_key(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct top *top = data;
	char keys[64];
	ssize_t n;

	(void)source;
	(void)events;
	n = read(fd, keys, sizeof(keys));
	if (n <= 0 || memchr(keys, 'q', (size_t)n) || memchr(keys, 'Q', (size_t)n))
		return sd_event_exit(top->event, STATUS_OK);
	return 0;
}

static int on_resize(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct top *top = data;

	(void)source;
	(void)info;
	if (top->is_live)
		fputs("\033[2J", stdout);
	print_view(top);
	return 0;
}

static int on_suspend(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct top *top = data;

	terminal_leave();
	raise(SIGSTOP);
	if (top->is_live)
		terminal_enter();
	return on_resize(source, info, data);
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct top *top = data;

	(void)source;
	return sd_event_exit(top->event, 128 + (int)info->ssi_signo);
}

static int add_signals(struct top *top)
{
	static const struct {
		int number;
		sd_event_signal_handler_t handler;
	} signals[] = {
		{ SIGINT, on_end },	 { SIGTERM, on_end }, { SIGHUP, on_end },
		{ SIGQUIT, on_end },	 { SIGPIPE, on_end }, { SIGTSTP, on_suspend },
		{ SIGWINCH, on_resize },
	};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(signals) / sizeof(signals[0]); i++)
		r = sd_event_add_signal(top->event, NULL,
					signals[i].number | SD_EVENT_SIGNAL_PROCMASK,
					signals[i].handler, top);
	return r;
}

/* A terminal that went away is an end like any other. */
static int watch(struct top *top)
{
	int r;

	look(top); /* before the terminal is ours: ssh may have to ask for something */
	r = sd_event_new(&top->event);
	if (r >= 0)
		r = add_signals(top);
	if (r >= 0)
		r = sd_event_add_io(top->event, NULL, STDIN_FILENO, EPOLLIN, on_key, top);
	if (r == -EPERM) /* a file: no keys will come */
		r = 0;
	if (r >= 0)
		r = sd_event_add_time_relative(top->event, NULL, CLOCK_MONOTONIC, USEC_PER_SEC, 0,
					       on_tick, top);
	if (r < 0)
		return r;
	if (top->is_live)
		terminal_enter();
	print_view(top);
	return sd_event_loop(top->event);
}

/* Rates need two looks. */
static int print_once(struct top *top)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const struct timespec pause = { .tv_sec = 1 };
	int r;

	r = read_view(top->client, &error, &top->view);
	if (r >= 0 && top->view.has_domains) {
		nanosleep(&pause, NULL);
		r = read_view(top->client, &error, &top->view);
	}
	if (r < 0)
		return bus_complain(&error, r);
	print_view(top);
	return service_state_is_attached(&top->view.state) ? STATUS_OK : STATUS_NOT_ATTACHED;
}

int command_top(struct bus_client *client, char **words)
{
	_cleanup_(top_done) struct top top = { .client = client };
	int r;

	(void)words;
	if (!client->call_timeout_usec)
		client->call_timeout_usec = ANSWER_USEC;
	if (client->options->given & OPTION_ONCE || !isatty(STDOUT_FILENO))
		return print_once(&top);
	top.is_live = terminal_is_fit();
	r = watch(&top);
	if (r >= 0)
		return r;
	terminal_leave();
	complain("cannot watch: %s. Try: donorctl top --once", strerror(-r));
	return STATUS_FAILED;
}
