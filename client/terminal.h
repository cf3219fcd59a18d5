/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

/*
 * The terminal as a live view needs it: another screen, no cursor, keys as they are pressed. There
 * is one, and it is put back also when the process dies of a fault.
 */

/* Whether standard output is a terminal that can show such a view, and input one to read keys of. */
bool terminal_is_fit(void);

void terminal_enter(void);

/* Back to how it was. May be called without terminal_enter(). */
void terminal_leave(void);

/* 80 x 24 where it does not tell. */
void terminal_size(unsigned int *ret_columns, unsigned int *ret_rows);
