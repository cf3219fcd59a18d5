/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <systemd/sd-bus.h>

#include "client/bus-client.h"

/* What GetParameters answers, in the order of the service. */
struct parameter {
	const char *name;
	uint64_t value;
	uint64_t minimum;
	uint64_t maximum;
	uint64_t initial; /* the default of the mode in force */
	const char *unit;
	const char *origin;
	const char *help;
};

struct parameters {
	sd_bus_message *reply; /* owns the texts */
	size_t nr;
	struct parameter *list;
};

/* A negative errno and ret_error as from bus_client_call(). */
int parameters_read(struct bus_client *client, sd_bus_error *ret_error, struct parameters *ret);
void parameters_done(struct parameters *parameters);

/* NULL: there is none of that name. */
const struct parameter *parameters_find(const struct parameters *parameters, const char *name);

/* Complains about a name that is none of them; returns STATUS_USAGE. */
int parameters_complain(const struct parameters *parameters, const char *name);

/*
 * Reads a number in the parameter's unit; a time may have a unit of its own, and a switch may be on
 * or off. Complains and returns STATUS_USAGE, or returns 0.
 */
int parameter_parse(const struct parameter *parameter, const char *text, uint64_t *ret);
