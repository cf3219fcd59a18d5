/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait: until the service is in a state, told by its signals. The service may come and go
 * meanwhile; a look at the property is needed only at the start and when it appears.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "client/bus-error.h"
#include "client/choices.h"
#include "client/commands.h"
#include "service/duration.h"
#include "client/exit-status.h"
#include "client/service-state.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"

struct waiter {
	struct bus_client *client;
	const char *wanted;
	uint64_t deadline_usec; /* of the monotonic clock; UINT64_MAX: none */
	bool is_reached;
	bool is_hopeless; /* for "attached": this state does not change by itself */
	bool must_look;
};

static void on_state(struct waiter *waiter, const char *state)
{
	waiter->is_reached = !strcmp(state, waiter->wanted);
	waiter->is_hopeless = !strcmp(waiter->wanted, "attached") &&
			      (!strcmp(state, "failed") || !strcmp(state, "unsupported"));
}

static int on_properties_changed(sd_bus_message *m, void *data, sd_bus_error *ret_error)
{
	struct waiter *waiter = data;
	const char *name, *state;

	(void)ret_error;
	if (sd_bus_message_skip(m, "s") < 0 || sd_bus_message_enter_container(m, 'a', "{sv}") < 0)
		return 0;
	while (!waiter->is_reached && sd_bus_message_enter_container(m, 'e', "sv") > 0) {
		if (sd_bus_message_read(m, "s", &name) < 0)
			return 0;
		/* taken from the signal, for a state may be over before one could ask */
		if (strcmp(name, "State"))
			(void)sd_bus_message_skip(m, "v");
		else if (sd_bus_message_read(m, "v", "s", &state) >= 0)
			on_state(waiter, state);
		(void)sd_bus_message_exit_container(m);
	}
	return 0;
}

static int on_owner_changed(sd_bus_message *m, void *data, sd_bus_error *ret_error)
{
	struct waiter *waiter = data;

	(void)m;
	(void)ret_error;
	waiter->must_look = true;
	return 0;
}

static int subscribe(struct waiter *waiter)
{
	int r;

	r = sd_bus_add_match(waiter->client->bus, NULL,
			     "type='signal',sender='" DONOR_BUS_NAME "',path='" DONOR_OBJECT_PATH
			     "',interface='org.freedesktop.DBus.Properties',"
			     "member='PropertiesChanged',arg0='" DONOR_INTERFACE "'",
			     on_properties_changed, waiter);
	if (r < 0)
		return r;
	return sd_bus_add_match(waiter->client->bus, NULL,
				"type='signal',sender='org.freedesktop.DBus',"
				"interface='org.freedesktop.DBus',member='NameOwnerChanged',"
				"arg0='" DONOR_BUS_NAME "'",
				on_owner_changed, waiter);
}

static uint64_t now_usec(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000;
}

/* With a time-out of 0, too, a service that is alive has the time to answer. */
static uint64_t look_timeout(const struct waiter *waiter)
{
	uint64_t now = now_usec();

	if (waiter->deadline_usec == UINT64_MAX)
		return 0;
	if (waiter->deadline_usec <= now + USEC_PER_SEC)
		return USEC_PER_SEC;
	return waiter->deadline_usec - now;
}

/* A service that is not there is waited for. */
static int look(struct waiter *waiter, sd_bus_error *ret_error)
{
	_cleanup_(service_state_done) struct service_state state = { 0 };
	int r;

	waiter->must_look = false;
	waiter->client->call_timeout_usec = look_timeout(waiter);
	r = service_state_read(waiter->client, ret_error, &state);
	if (r == -EHOSTUNREACH || (r < 0 && !bus_is_unreachable(ret_error, r)))
		return r;
	if (r >= 0)
		on_state(waiter, state.state);
	sd_bus_error_free(ret_error);
	return 0;
}

/* -ETIMEDOUT: the deadline has passed. */
static int wait_for_message(struct waiter *waiter)
{
	uint64_t now = now_usec();
	int r;

	r = sd_bus_process(waiter->client->bus, NULL);
	if (r)
		return r;
	if (now >= waiter->deadline_usec)
		return -ETIMEDOUT;
	r = sd_bus_wait(waiter->client->bus, waiter->deadline_usec == UINT64_MAX
						     ? UINT64_MAX
						     : waiter->deadline_usec - now);
	return r == -EINTR ? 0 : r;
}

static int wait_for_state(struct waiter *waiter, sd_bus_error *ret_error)
{
	int r;

	r = bus_client_open(waiter->client, ret_error);
	if (r < 0)
		return r;
	r = subscribe(waiter);
	if (r < 0)
		return r;
	waiter->must_look = true;
	while (!waiter->is_reached && !waiter->is_hopeless) {
		r = waiter->must_look ? look(waiter, ret_error) : wait_for_message(waiter);
		if (r < 0)
			return r;
	}
	return 0;
}

static int complain_hopeless(struct bus_client *client)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	int r;

	r = service_state_read(client, &error, &state);
	if (r < 0)
		return bus_complain(&error, r);
	if (strcmp(state.state, "unsupported"))
		return service_state_complain_detached(&state);
	complain("donor cannot be attached: %s See: donorctl doctor", safe(state.reason));
	return STATUS_UNSUPPORTED;
}

int command_wait(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	const struct options *options = client->options;
	struct waiter waiter = { .client = client, .wanted = words[0], .deadline_usec = UINT64_MAX };
	int r;

	if (!is_choice(words[0], state_choices))
		return complain_choice("state", words[0], state_choices);
	if (options->has_timeout)
		waiter.deadline_usec = now_usec() + options->timeout_usec;
	r = wait_for_state(&waiter, &error);
	if (r == -ETIMEDOUT && !sd_bus_error_is_set(&error)) {
		complain("donor was not %s in time. Wait longer, or see: donorctl status", words[0]);
		return STATUS_TIMEOUT;
	}
	if (r < 0)
		return bus_complain(&error, r);
	return waiter.is_hopeless ? complain_hopeless(client) : STATUS_OK;
}
