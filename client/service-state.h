/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "client/bus-client.h"

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
	const char *mode_source;
	const char *mode_reason;
	bool donation_on[_HOOK_MAX];
	bool donation_effective[_HOOK_MAX];
	struct last_exit last_exit;
	uint64_t attached_since_usec;
};

/* A negative errno and ret_error as from bus_client_call(). */
int service_state_read(struct bus_client *client, sd_bus_error *ret_error,
		       struct service_state *ret);
void service_state_done(struct service_state *state);

bool service_state_is_attached(const struct service_state *state);

/* What a complaint about a scheduler that is not attached says. Returns STATUS_NOT_ATTACHED. */
int service_state_complain_detached(const struct service_state *state);
