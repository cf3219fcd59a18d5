/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <systemd/sd-bus.h>

/* Who may do what on the bus: one row per polkit action of dbus/org.donor.Scheduler1.policy. */

enum access_action {
	ACCESS_SET_MODE,
	ACCESS_HOLD_MODE,
	ACCESS_CONFIGURE_DONATION,
	ACCESS_ADMINISTER,
	ACCESS_READ_TASK_STATS,
	_ACCESS_MAX,
};

/*
 * May the sender do this? The first line of a method that changes something, before it reads its
 * arguments; once in a method, with one action:
 *
 *	r = access_check(message, ACCESS_SET_MODE, error);
 *	if (r <= 0)
 *		return r < 0 ? r : 1;
 *
 *   1   yes
 *   0   polkit is being asked; the method is called again with the same message when it has
 *       answered, so the method must have done nothing yet
 *  <0   no; the error is set
 *
 * root and the service's own user are not asked about.
 */
int access_check(sd_bus_message *message, enum access_action action, sd_bus_error *error);

/* Drop the requests that wait for polkit; for the end of the service. */
void access_done(void);
