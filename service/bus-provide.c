/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "dbus/names.h"
#include "service/bus-provide.h"

#define SYSTEMD_NAME "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER "org.freedesktop.systemd1.Manager"

enum {
	PATIENCE_US = 10 * 1000 * 1000,
	ACCURACY_US = 100 * 1000,
	NAME_IS_OURS = 1, /* the bus's answer to RequestName */
};

static const char *const names[] = { POWER_PROFILES_NAME, OLD_POWER_PROFILES_NAME };

enum { NR_NAMES = sizeof(names) / sizeof(names[0]) };

/* Services that take these names. Some give up at once if somebody has them already. */
static const char *const units[] = {
	"power-profiles-daemon.service",
	"tuned-ppd.service",
	"tlp-pd.service",
	"com.system76.PowerDaemon.service",
};

enum { NR_UNITS = sizeof(units) / sizeof(units[0]) };

struct bus_provide {
	sd_bus *bus;
	sd_event *event;
	provide_handler_t handler;
	void *userdata;
	bool wanted, provides;
	char complaint[256]; /* why the names could not be had; empty: they could */
	sd_event_source *timer;
	sd_bus_slot *call; /* the one that is not answered yet */
	sd_bus_slot *units[NR_UNITS]; /* while we provide */
	unsigned nr_names; /* that we have */
};

static void stop(struct bus_provide *provide);
static int wait_for_others(struct bus_provide *provide);

static void complain(struct bus_provide *provide, const sd_bus_error *error)
{
	(void)snprintf(provide->complaint, sizeof(provide->complaint), "%s",
		       error->message ?: error->name);
}

/* a{sv} of a unit: whether it is being started. */
static bool says_active(sd_bus_message *message)
{
	const char *name, *contents, *state;

	if (sd_bus_message_enter_container(message, 'a', "{sv}") < 0)
		return false;
	while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
		if (sd_bus_message_read(message, "s", &name) < 0 ||
		    sd_bus_message_peek_type(message, NULL, &contents) < 0)
			return false;
		if (strcmp(name, "ActiveState") == 0 && strcmp(contents, "s") == 0)
			return sd_bus_message_read(message, "v", "s", &state) >= 0 &&
			       (strcmp(state, "activating") == 0 || strcmp(state, "active") == 0);
		if (sd_bus_message_skip(message, "v") < 0 ||
		    sd_bus_message_exit_container(message) < 0)
			return false;
	}
	return false;
}

static int on_unit(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bus_provide *provide = userdata;

	if (sd_bus_message_skip(message, "s") < 0 || !says_active(message))
		return 0;
	stop(provide);
	return wait_for_others(provide);
}

static int watch_unit(struct bus_provide *provide, unsigned i)
{
	_cleanup_(freep) char *path = NULL;
	_cleanup_(freep) char *match = NULL;
	int r;

	r = sd_bus_path_encode(SYSTEMD_PATH "/unit", units[i], &path);
	if (r < 0)
		return r;
	if (asprintf(&match,
		     "type='signal',sender='" SYSTEMD_NAME "',path='%s',"
		     "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
		     "arg0='" SYSTEMD_NAME ".Unit'",
		     path) < 0)
		return -ENOMEM;
	return sd_bus_add_match_async(provide->bus, &provide->units[i], match, on_unit, NULL,
				      provide);
}

/* Let systemd tell when it starts another provider. Without systemd nobody tells. */
static void watch_units(struct bus_provide *provide)
{
	for (unsigned i = 0; i < NR_UNITS; i++)
		(void)watch_unit(provide, i);
	(void)sd_bus_call_method_async(provide->bus, NULL, SYSTEMD_NAME, SYSTEMD_PATH,
				       SYSTEMD_MANAGER, "Subscribe", NULL, NULL, NULL);
}

static void ignore_units(struct bus_provide *provide)
{
	for (unsigned i = 0; i < NR_UNITS; i++)
		provide->units[i] = sd_bus_slot_unref(provide->units[i]);
	(void)sd_bus_call_method_async(provide->bus, NULL, SYSTEMD_NAME, SYSTEMD_PATH,
				       SYSTEMD_MANAGER, "Unsubscribe", NULL, NULL, NULL);
}

/* Whatever is under way or in force ends. */
static void stop(struct bus_provide *provide)
{
	bool provided = provide->provides;

	provide->timer = sd_event_source_disable_unref(provide->timer);
	provide->call = sd_bus_slot_unref(provide->call);
	if (provided)
		ignore_units(provide);
	/* Also what was asked for and not answered yet: the bus takes one after the other. */
	for (unsigned i = 0; i < NR_NAMES && provide->nr_names > 0; i++)
		(void)sd_bus_release_name_async(provide->bus, NULL, names[i], NULL, NULL);
	provide->nr_names = 0;
	provide->provides = false;
	if (provided)
		provide->handler(provide->userdata, false);
}

static int take_name(struct bus_provide *provide);

static int on_name(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error)
{
	struct bus_provide *provide = userdata;
	const sd_bus_error *error = sd_bus_message_get_error(reply);
	uint32_t result = 0;

	provide->call = sd_bus_slot_unref(provide->call);
	if (error) {
		complain(provide, error);
		stop(provide);
		return 0;
	}
	(void)sd_bus_message_read(reply, "u", &result);
	if (result != NAME_IS_OURS) { /* somebody was faster: whoever follows the names will tell */
		stop(provide);
		return 0;
	}
	return provide->nr_names < NR_NAMES ? take_name(provide) : 0;
}

static int take_name(struct bus_provide *provide)
{
	return sd_bus_request_name_async(provide->bus, &provide->call, names[provide->nr_names++],
					 SD_BUS_NAME_ALLOW_REPLACEMENT, on_name, provide);
}

/* The object is there before its names are. */
static int provide_now(struct bus_provide *provide)
{
	provide->provides = true;
	provide->complaint[0] = '\0';
	watch_units(provide);
	provide->handler(provide->userdata, true);
	return take_name(provide);
}

/* a(ss): path and state. Whether there are units, and none of them can be started. */
static bool all_are_masked(sd_bus_message *reply)
{
	const char *path, *state;
	bool any = false, masked = true;

	if (sd_bus_message_enter_container(reply, 'a', "(ss)") < 0)
		return false;
	while (sd_bus_message_read(reply, "(ss)", &path, &state) > 0) {
		any = true;
		if (strncmp(state, "masked", strlen("masked")) != 0)
			masked = false;
	}
	return any && masked;
}

static int on_units(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error)
{
	struct bus_provide *provide = userdata;

	provide->call = sd_bus_slot_unref(provide->call);
	if (sd_bus_message_is_method_error(reply, NULL) || !all_are_masked(reply))
		return 0;
	return provide_now(provide);
}

/* The bus would start a service for a name; but an administrator may have masked its unit. */
static int ask_for_units(struct bus_provide *provide)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL;
	int r;

	r = sd_bus_message_new_method_call(provide->bus, &call, SYSTEMD_NAME, SYSTEMD_PATH,
					   SYSTEMD_MANAGER, "ListUnitFilesByPatterns");
	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "as", 0);
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(call, 'a', "s");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < NR_UNITS; i++) {
		r = sd_bus_message_append(call, "s", units[i]);
		if (r < 0)
			return r;
	}
	r = sd_bus_message_close_container(call);
	if (r < 0)
		return r;
	return sd_bus_call_async(provide->bus, &provide->call, call, on_units, provide, 0);
}

static int on_activatable(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error)
{
	struct bus_provide *provide = userdata;
	const char *name;

	provide->call = sd_bus_slot_unref(provide->call);
	if (sd_bus_message_is_method_error(reply, NULL) ||
	    sd_bus_message_enter_container(reply, 'a', "s") < 0)
		return 0;
	while (sd_bus_message_read(reply, "s", &name) > 0)
		for (unsigned i = 0; i < NR_NAMES; i++)
			if (strcmp(name, names[i]) == 0)
				return ask_for_units(provide);
	return provide_now(provide);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct bus_provide *provide = userdata;

	provide->timer = sd_event_source_disable_unref(provide->timer);
	return sd_bus_call_method_async(provide->bus, &provide->call, "org.freedesktop.DBus",
					"/org/freedesktop/DBus", "org.freedesktop.DBus",
					"ListActivatableNames", on_activatable, provide, NULL);
}

static int wait_for_others(struct bus_provide *provide)
{
	return sd_event_add_time_relative(provide->event, &provide->timer, CLOCK_MONOTONIC,
					  PATIENCE_US, ACCURACY_US, on_timer, provide);
}

void bus_provide_want(struct bus_provide *provide, bool wanted)
{
	if (wanted == provide->wanted)
		return;
	provide->wanted = wanted;
	if (!wanted)
		stop(provide);
	else
		(void)wait_for_others(provide);
}

const char *bus_provide_complaint(const struct bus_provide *provide)
{
	return provide->complaint[0] ? provide->complaint : NULL;
}

int bus_provide_new(struct bus_provide **ret, sd_bus *bus, sd_event *event,
		    provide_handler_t handler, void *userdata)
{
	struct bus_provide *provide = calloc(1, sizeof(*provide));

	if (!provide)
		return -ENOMEM;
	provide->bus = sd_bus_ref(bus);
	provide->event = sd_event_ref(event);
	provide->handler = handler;
	provide->userdata = userdata;
	*ret = provide;
	return 0;
}

struct bus_provide *bus_provide_free(struct bus_provide *provide)
{
	if (!provide)
		return NULL;
	for (unsigned i = 0; i < NR_UNITS; i++)
		sd_bus_slot_unref(provide->units[i]);
	sd_bus_slot_unref(provide->call);
	sd_event_source_disable_unref(provide->timer);
	sd_event_unref(provide->event);
	sd_bus_unref(provide->bus);
	free(provide);
	return NULL;
}
