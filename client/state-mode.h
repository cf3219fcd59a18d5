/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "client/service-state.h"

/*
 * Readers of the properties about who chose the mode, for the table in service-state.c. The target
 * is the struct, or for holds the whole state.
 */
int read_beneath(sd_bus_message *m, void *target);
int read_override(sd_bus_message *m, void *target);
int read_holds(sd_bus_message *m, void *target);
