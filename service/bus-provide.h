/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "service/cleanup.h"

/*
 * Having the two names of power profiles while nobody else wants them: taken ten seconds after the
 * last owner left, unless a service is installed that the bus would start for them; given back as
 * soon as somebody else takes one, or systemd is about to start one who would.
 */
struct bus_provide;

/* From now on donor provides the profiles, or no longer does. */
typedef void (*provide_handler_t)(void *userdata, bool provides);

int bus_provide_new(struct bus_provide **ret, sd_bus *bus, sd_event *event,
		    provide_handler_t handler, void *userdata);
struct bus_provide *bus_provide_free(struct bus_provide *provide);
DEFINE_CLEANUP(struct bus_provide *, bus_provide_free);

/* Whether to provide: configured, and nobody else does. To be said whenever it changes. */
void bus_provide_want(struct bus_provide *provide, bool wanted);

/* Why the names could not be had when that was tried last; NULL if they could. */
const char *bus_provide_complaint(const struct bus_provide *provide);
