/* SPDX-License-Identifier: GPL-2.0-only */

/* donord: options, configuration, bus connection, signals; the rest is the manager's. */

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/log.h"
#include "service/manager.h"

struct donord {
	const char *config_root;
	sd_event *event;
	sd_bus *bus;
	struct manager *manager;
};

static void donord_done(struct donord *donord)
{
	manager_free(donord->manager);
	sd_bus_flush_close_unref(donord->bus);
	sd_event_unref(donord->event);
}

static void warn_of_config(void *userdata, const char *text)
{
	log_event(EVENT_CONFIG_WARNING, .reason = text);
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	struct donord *donord = userdata;

	(void)sd_notify(0, "STOPPING=1");
	access_done(); /* while the bus is there, to take dialogues off the screen */
	manager_stop(donord->manager);
	return sd_event_exit(donord->event, 0);
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	struct donord *donord = userdata;

	(void)manager_reload(donord->manager, NULL, NULL, "configuration");
	return 0;
}

static int add_signals(struct donord *donord)
{
	static const struct {
		int number;
		sd_event_signal_handler_t handler;
	} signals[] = { { SIGTERM, on_stop }, { SIGINT, on_stop }, { SIGHUP, on_reload } };
	int r;

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		r = sd_event_add_signal(donord->event, NULL,
					signals[i].number | SD_EVENT_SIGNAL_PROCMASK,
					signals[i].handler, donord);
		if (r < 0)
			return log_error_errno(r, "cannot watch for signals: %m");
	}
	return 0;
}

static int open_bus(struct donord *donord)
{
	int r;

	r = sd_bus_open_system(&donord->bus);
	if (r < 0)
		return log_error_errno(r, "cannot connect to the system bus: %m");
	r = sd_bus_attach_event(donord->bus, donord->event, SD_EVENT_PRIORITY_NORMAL);
	if (r < 0)
		return log_error_errno(r, "cannot serve the bus: %m");
	/* Without a bus nobody can ask for anything: let systemd start a service that has one. */
	r = sd_bus_set_exit_on_disconnect(donord->bus, true);
	if (r < 0)
		return log_error_errno(r, "cannot watch the bus: %m");
	return 0;
}

static int take_name(struct donord *donord)
{
	int r;

	r = sd_bus_request_name(donord->bus, DONOR_BUS_NAME, 0);
	if (r == -EEXIST)
		return log_error_errno(r, "another donord serves " DONOR_BUS_NAME
					  " already; stop that one first");
	if (r == -EPERM || r == -EACCES)
		return log_error_errno(r, "the bus does not let this user own " DONOR_BUS_NAME
					  "; its policy allows donor and root");
	if (r < 0)
		return log_error_errno(r, "cannot take the name " DONOR_BUS_NAME ": %m");
	return 0;
}

static int start(struct donord *donord)
{
	struct config config;
	int r;

	r = config_read(donord->config_root, warn_of_config, NULL, &config);
	if (r < 0)
		return log_error_errno(r, "cannot read the configuration: %m");
	r = sd_event_default(&donord->event);
	if (r < 0)
		return log_error_errno(r, "cannot make an event loop: %m");
	r = add_signals(donord);
	if (r < 0)
		return r;
	r = open_bus(donord);
	if (r < 0)
		return r;
	r = manager_new(&donord->manager, donord->event, donord->bus, &config);
	if (r < 0)
		return log_error_errno(r, "cannot set up the service: %m");
	r = take_name(donord);
	if (r < 0)
		return r;
	r = manager_start(donord->manager);
	if (r < 0)
		return log_error_errno(r, "cannot watch the kernel: %m");
	return 0;
}

/* Returns what to exit with, or a negative errno. */
static int run(const char *config_root)
{
	_cleanup_(donord_done) struct donord donord = { .config_root = config_root };
	int r;

	r = start(&donord);
	if (r < 0)
		return r;
	r = sd_event_set_watchdog(donord.event, true);
	if (r < 0)
		(void)log_warning_errno(r, "no watchdog: %m");
	/* Whatever came of the first attach: State tells, and requests are served. */
	(void)sd_notify(0, "READY=1");
	r = sd_event_loop(donord.event);
	if (r == MANAGER_EXIT_RESTART)
		return r;
	if (r != 0)
		return log_error_errno(r < 0 ? r : -ECONNRESET, "stopping: %m");
	return 0;
}

static void print_help(void)
{
	printf("donord [OPTION]\n"
	       "Attach the donor CPU scheduler and serve " DONOR_BUS_NAME " on the system bus.\n\n"
	       "  -h, --help     show this text\n"
	       "      --version  show the version\n\n"
	       "See donord(8); donorctl(1) controls the running service.\n");
}

/* Returns whether to go on; else *ret_status is what to exit with. */
static bool parse_arguments(int argc, char **argv, const char **ret_config_root, int *ret_status)
{
	enum { OPTION_VERSION = 256, OPTION_CONFIG_ROOT };
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ "config-root", required_argument, NULL, OPTION_CONFIG_ROOT }, /* for tests */
		{},
	};
	int c;

	*ret_status = 0;
	while ((c = getopt_long(argc, argv, "h", options, NULL)) >= 0)
		switch (c) {
		case 'h':
			print_help();
			return false;
		case OPTION_VERSION:
			printf("donord %s\n", DONOR_VERSION);
			return false;
		case OPTION_CONFIG_ROOT:
			*ret_config_root = optarg;
			break;
		default:
			*ret_status = 2;
			return false;
		}
	if (optind == argc)
		return true;
	fprintf(stderr, "donord: unexpected argument '%s'; see donord --help\n", argv[optind]);
	*ret_status = 2;
	return false;
}

int main(int argc, char **argv)
{
	const char *config_root = NULL;
	int r, status;

	if (!parse_arguments(argc, argv, &config_root, &status))
		return status;
	log_open();
	r = run(config_root);
	return r < 0 ? EXIT_FAILURE : r;
}
