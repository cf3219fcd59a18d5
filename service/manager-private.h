/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/attachment.h"
#include "service/manager.h"
#include "service/watch.h"

/* The manager's inside, for the manager-*.c files alone. */
struct manager {
	sd_event *event;
	sd_bus *bus;
	struct watch *watch;
	struct config config; /* as last read */
	struct wish wish;
	struct attachment attachment;
	uint64_t free_since_us; /* CLOCK_MONOTONIC when a conflict ended that we still wait out */
	struct status status; /* as last announced */
	char notified[STATUS_REASON_BYTES + 64]; /* the line that systemd was last told */
	char failure[STATUS_REASON_BYTES];
};

/* One PropertiesChanged for all that differs from what was last announced. */
void manager_publish(struct manager *manager);

/* Keep the text for manager_reason(); returns r. */
int manager_fail(struct manager *manager, int r, const char *text);

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
int manager_look(struct manager *manager);

int manager_attach_now(struct manager *manager);
