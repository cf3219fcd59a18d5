/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "service/state-file.h"

/*
 * A scheduler that takes the machine down must not do so at every boot. An attempt to attach is on
 * the disk before the kernel is troubled, and is struck off when the scheduler has run for long
 * enough, or ended in an orderly way. What is left at the next boot did not go well.
 *
 * It is boots that count, and not attempts: a service that is killed and started again within one
 * boot shows that the machine lives.
 */
struct boot_guard {
	struct state_file *state;	  /* outlives the boot */
	struct state_file *boot_state; /* ends with it */
};

/* The boots before this one, in a row, that left an attempt behind. */
unsigned boot_guard_unclean(const struct boot_guard *guard);

/* Before and after an attempt. What state_save() returns: nothing is guarded if it fails. */
int boot_guard_attempt(const struct boot_guard *guard);
int boot_guard_clear(const struct boot_guard *guard);

/*
 * Does the kernel's command line say donor.off? systemd hands it to the unit as a credential, for
 * the sandbox hides /proc/cmdline.
 */
bool boot_guard_is_off(void);

/* The test behind it. */
bool boot_guard_says_off(const char *command_line);
