/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "service/cleanup.h"
#include "service/config.h"
#include "service/metrics.h"
#include "service/mode.h"
#include "service/scheduler.h"
#include "service/status.h"

/*
 * The scheduler as a service: what people wish, what the kernel does, and the news between the two.
 * The bus files call it to act, and it calls them to announce. It lives on the caller's event loop
 * and bus connection.
 */
struct manager;

int manager_new(struct manager **ret, sd_event *event, sd_bus *bus, const struct config *config);
struct manager *manager_free(struct manager *manager);
DEFINE_CLEANUP(struct manager *, manager_free);

/* Watch the kernel and attach, if the configuration says so. What goes wrong shows in State. */
int manager_start(struct manager *manager);

/* Detach for good; the bus still hears of it. */
void manager_stop(struct manager *manager);

/* The configuration was read again: what it says differently than before is now wished. */
void manager_configure(struct manager *manager, const struct config *config);

/*
 * Requests. `who` says for log and signals who asked: "SetMode by uid 1000". On failure nothing
 * changed, and the error text is manager_reason(). Negative errnos as in bus-error.h.
 */
int manager_set_mode(struct manager *manager, enum donor_mode mode, const char *who);
int manager_set_donation(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
			 const char *who);
int manager_attach(struct manager *manager, const char *who);
int manager_detach(struct manager *manager, const char *who);

/* Why the last request failed: cause and next step. */
const char *manager_reason(const struct manager *manager);

/* What the bus has been told; valid until the manager acts again. */
const struct status *manager_status(const struct manager *manager);

/* What the status does not hold; NULL when not attached. Asks the kernel first. */
const struct scheduler *manager_scheduler(struct manager *manager);
const struct wish *manager_wish(const struct manager *manager);

/* All figures as text. Asks the kernel first. */
int manager_metrics(struct manager *manager, enum metrics_format format, char **ret);
