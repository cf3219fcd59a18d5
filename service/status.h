/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi.h"

/*
 * What the service shows to the world: the properties on the bus, Describe and the line in
 * `systemctl status` are all read from one struct status, so they cannot differ.
 */

enum service_state {
	STATE_DETACHED, /* on request */
	STATE_ATTACHING,
	STATE_ATTACHED,
	STATE_CONFLICT, /* another scheduler is attached; donor waits for it to leave */
	STATE_FAILED,
	STATE_UNSUPPORTED,
	_STATE_MAX,
};

/* Whether this kernel can run the scheduler. */
enum kernel_support {
	SUPPORT_OK,
	SUPPORT_NO_SCHED_EXT,
	SUPPORT_NO_BTF,
	SUPPORT_MALFORMED_BTF,
	SUPPORT_NO_PRIVILEGE,
	_SUPPORT_MAX,
};

enum {
	STATUS_REASON_BYTES = 768,
	STATUS_NAME_BYTES = 128,
};

/* How the scheduler last ended; the kind is empty if it never did. */
struct last_exit {
	uint64_t realtime_us;
	char kind[32];
	int64_t code;
	char reason[DONOR_EXIT_REASON_BYTES];
	char message[DONOR_EXIT_MESSAGE_BYTES];
	uint64_t attached_us;
};

struct status {
	enum kernel_support support;
	enum service_state state;
	char reason[STATUS_REASON_BYTES];
	char scheduler_name[STATUS_NAME_BYTES]; /* what the kernel runs, ours or not */
	char foreign[STATUS_NAME_BYTES];
	enum donor_mode mode;
	bool donation[_DONOR_HOOK_MAX]; /* as wished */
	bool effective[_DONOR_HOOK_MAX]; /* as the attached scheduler does */
	struct last_exit last_exit;
	uint64_t attached_since_us; /* CLOCK_MONOTONIC; 0 when not attached */
	bool adopted; /* it was attached by a service that is gone, and never let go since */
};

const char *state_to_string(enum service_state state);
const char *support_to_string(enum kernel_support support);

/* One line for a person: "attached, balanced, donation at select-cpu and enqueue". */
void status_line(const struct status *status, char *buf, size_t size);
