/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sys/types.h>

#include "service/bus-polkit.h"

/*
 * Requests that wait for polkit's answer. They are kept until the method has been called again and
 * has taken the answer, or until their sender has left the bus.
 */

struct pending_answer {
	uid_t uid;
	enum polkit_answer answer;
	char text[256];
};

/*
 * Put the request aside and ask polkit about its sender. -EUSERS: too many of this user wait
 * already; -E2BIG: it is larger than any request that makes sense; -ENXIO: the sender has left.
 */
int pending_add(sd_bus_message *request, uid_t uid, const char *action);

/* The answer to a request that was put aside, which is over with that. -ENOENT: it was not. */
int pending_take(sd_bus_message *request, struct pending_answer *ret);

/* Drop them all, without an answer. */
void pending_done(void);
