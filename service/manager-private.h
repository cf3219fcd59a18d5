/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/attachment.h"
#include "service/manager.h"
#include "service/metrics-file.h"
#include "service/resolve.h"
#include "service/tally.h"
#include "service/watch.h"

/* The manager's inside, for the manager-*.c files alone. */
struct manager {
	sd_event *event;
	sd_bus *bus;
	struct watch *watch;
	struct config config; /* as last read */
	struct mode_inputs inputs; /* whoever has a say in the mode; then manager_resolve() */
	struct resolution resolution; /* of inputs, as the kernel has it */
	struct wish wish; /* its mode is the resolution's */
	struct attachment attachment;
	uint64_t free_since_us; /* CLOCK_MONOTONIC when a conflict ended that we still wait out */
	struct status status; /* as last announced */
	struct tally tally;
	struct metrics_file metrics_file;
	char notified[STATUS_REASON_BYTES + 64]; /* the line that systemd was last told */
	char failure[STATUS_REASON_BYTES];
};

/* One PropertiesChanged for all that differs from what was last announced. */
void manager_publish(struct manager *manager);

/* Keep the text for manager_reason(); returns r. */
int manager_fail(struct manager *manager, int r, const char *text);

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
int manager_look(struct manager *manager);

/*
 * manager->inputs changed: find the mode that is in force now, write it to the kernel, tell the
 * bus. `cause` is for the log: "the power profile changed". If the kernel does not take it, what
 * was in force stays, and the next call tries again; the result is -ECANCELED then, and logged.
 */
int manager_resolve(struct manager *manager, const char *cause);

/*
 * The same in steps, for a request that is to have no effect at all where the kernel refuses it:
 * look how things are; try with inputs and choices of the caller's, which become the manager's if
 * the kernel took them; keep the request's books; announce what is different now.
 */
struct status manager_before(struct manager *manager);
int manager_apply(struct manager *manager, const struct mode_inputs *inputs,
		  const struct wish *wish, const char *cause);
void manager_announce(struct manager *manager, const struct status *before, const char *cause);

/* What the configuration has to say about the mode. */
void configure_inputs(struct mode_inputs *inputs, const struct config *config);

/* What is in force follows from the inputs, where no kernel has to be asked: nothing is attached. */
void manager_settle(struct manager *manager);

int manager_attach_now(struct manager *manager);

/* The status changed: let it add up. */
void manager_count(struct manager *manager, const struct status *before);

/* Write the metrics to the file that the configuration names, if it names one. */
void manager_report(struct manager *manager, const struct report_config *config);
