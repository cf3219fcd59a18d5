/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <systemd/sd-bus.h>

/* The exit status for a call that returned r and left error, which may be unset. */
int bus_exit_status(const sd_bus_error *error, int r);

/* Prints the cause and the next step of that call's failure; returns its exit status. */
int bus_complain(const sd_bus_error *error, int r);

/* Whether the call failed because donord does not run, or no bus leads to it. */
bool bus_is_unreachable(const sd_bus_error *error, int r);
