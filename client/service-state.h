/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "client/bus-client.h"

struct json_object;

enum hook {
	HOOK_SELECT_CPU,
	HOOK_ENQUEUE,
	_HOOK_MAX,
};

/* The names on the bus and on the command line, ending with NULL. */
extern const char *const hook_names[_HOOK_MAX + 1];

struct last_exit {
	uint64_t realtime_usec;
	const char *kind; /* empty if it never ended */
	int64_t code;
	const char *reason;
	const char *message;
	uint64_t attached_usec;
};

/* What would be in force without the source of the mode. */
struct beneath {
	const char *mode;
	const char *source;
	const char *reason;
};

/* The mode that a person chose; the mode is empty if nobody did. */
struct override {
	const char *mode;
	const char *until;
	const char *reason;
	uint64_t since_usec; /* realtime */
	uint64_t ends_usec; /* the same; 0: at no time */
	uint32_t uid;
	bool persist;
};

/* A mode that a program holds. */
struct hold {
	const char *mode;
	const char *reason;
	const char *application;
	uint64_t since_usec; /* realtime */
	uint64_t timeout_usec;
	uint32_t uid;
	bool soft;
};

/* The properties of org.donor.Scheduler1; those that the service does not have are empty. */
struct service_state {
	sd_bus_message *reply; /* owns the strings */
	const char *version;
	const char *kernel_support;
	const char *state;
	const char *reason;
	const char *scheduler;
	const char *foreign;
	const char *mode;
	bool follows_profiles; /* of the desktop; empty below: nobody provides any */
	const char *profile;
	const char *profiles_provider;
	const char *degraded; /* why performance is */
	bool on_battery;
	const char *mode_source;
	const char *mode_reason;
	struct beneath beneath;
	struct override override;
	struct hold *holds;
	size_t nr_holds;
	bool donation_on[_HOOK_MAX];
	bool donation_effective[_HOOK_MAX];
	struct last_exit last_exit;
	uint64_t attached_since_usec;
	uint32_t restarts;
	uint64_t next_attempt_usec;
	bool adopted;
};

/* A negative errno and ret_error as from bus_client_call(). */
int service_state_read(struct bus_client *client, sd_bus_error *ret_error,
		       struct service_state *ret);
void service_state_done(struct service_state *state);

bool service_state_is_attached(const struct service_state *state);

struct json_object *last_exit_json(const struct last_exit *last);

/* What a complaint about a scheduler that is not attached says. Returns STATUS_NOT_ATTACHED. */
int service_state_complain_detached(const struct service_state *state);
