/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi.h"
#include "service/override.h"
#include "service/resolve.h"

/*
 * What the service shows to the world: the properties on the bus, Describe and the line in
 * `systemctl status` are all read from one struct status, so they cannot differ.
 */

enum service_state {
	STATE_DETACHED, /* on request */
	STATE_ATTACHING,
	STATE_ATTACHED,
	STATE_CONFLICT, /* another scheduler is attached; donor waits for it to leave */
	STATE_BACKOFF, /* the kernel ended it; donor waits before it attaches again */
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
	STATUS_PROFILE_BYTES = 64,
};

/* How the scheduler ended; the kind is empty if it never did. */
struct exit_info {
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
	struct resolution resolution; /* who chose it; its mode is the same but for a moment */
	struct override override; /* a person's choice, in force or not */
	uint64_t nr_hold_changes; /* of manager_holds() */
	enum donor_mode default_mode; /* the configuration's */
	struct donor_params modes[_DONOR_MODE_MAX]; /* as they are configured and tuned */
	struct donor_params params; /* in force, or at the next attach */
	bool follows_profiles; /* of the desktop */
	char profile[STATUS_PROFILE_BYTES]; /* empty: nobody provides any */
	char profiles_provider[STATUS_PROFILE_BYTES];
	char degraded[STATUS_PROFILE_BYTES]; /* why performance is; empty: it is not */
	bool on_battery;
	bool donation[_DONOR_HOOK_MAX]; /* as wished */
	bool effective[_DONOR_HOOK_MAX]; /* as the attached scheduler does */
	struct exit_info last_exit;
	uint64_t attached_since_us; /* CLOCK_MONOTONIC; 0 when not attached */
	uint32_t nr_restarts; /* attached again by itself */
	uint64_t next_attempt_us; /* CLOCK_MONOTONIC; 0 unless backing off */
	bool adopted; /* it was attached by a service that is gone, and never let go since */
};

const char *state_to_string(enum service_state state);
const char *support_to_string(enum kernel_support support);

/* One line for a person: "attached, balanced, donation at select-cpu and enqueue". */
void status_line(const struct status *status, char *buf, size_t size);
