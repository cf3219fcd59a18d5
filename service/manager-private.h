/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/attachment.h"
#include "service/carried.h"
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

	/* Restarts: manager-restart.c */
	struct carried *carried; /* NULL before manager_start() */
	struct scheduler_fd kept[SCHEDULER_MAX_FDS]; /* names, as systemd keeps them */
	unsigned nr_kept;
	sd_event_source *restart_timer;
};

/* One PropertiesChanged for all that differs from what was last announced. */
void manager_publish(struct manager *manager);

/* Keep the text for manager_reason(); returns r. */
int manager_fail(struct manager *manager, int r, const char *text);

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
int manager_look(struct manager *manager);

int manager_attach_now(struct manager *manager);

/* At start: what the donord before us left, the attached scheduler included. */
int manager_take_over(struct manager *manager);

/* After that: is it left to us to attach? If not, and nothing is attached, State says why. */
bool manager_wants_attach(struct manager *manager);

/* Have systemd keep what is attached, and nothing else; cheap if nothing changed. */
void manager_keep(struct manager *manager);

/* Once loaded, and as the configuration says: capabilities are of no more use. */
void manager_drop_privileges(struct manager *manager);

/*
 * Attaching needs a load, and this process cannot: end it, and systemd starts another that can.
 * Always fails: -ERESTART, or -EAGAIN when that was done too often; then it is done later.
 */
int manager_restart(struct manager *manager);

/* Told to end: true if what is attached stays so, since another donord will take it over. */
bool manager_leave(struct manager *manager);
