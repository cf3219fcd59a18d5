/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "service/cleanup.h"

/*
 * Tells when it is worth asking the kernel again: it announced something, or a time that somebody
 * asked for is over. Where the announcements cannot be had, it tells so every second.
 */
struct watch;

typedef int (*watch_handler_t)(void *userdata);

int watch_new(struct watch **ret, sd_event *event, watch_handler_t handler, void *userdata);
struct watch *watch_free(struct watch *watch);
DEFINE_CLEANUP(struct watch *, watch_free);

/* Why there are no announcements: a negative errno, or 0. */
int watch_error(const struct watch *watch);

/* Also tell once after this time. Of several such times the last one asked for counts. */
int watch_again(struct watch *watch, uint64_t delay_us);
