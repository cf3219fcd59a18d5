/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>

#include "service/bus-sleep.h"
#include "service/cleanup.h"

struct watcher {
	resume_handler_t handler;
	void *userdata;
};

static int on_prepare_for_sleep(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const struct watcher *watcher = userdata;
	int falls_asleep;

	if (sd_bus_message_read(message, "b", &falls_asleep) >= 0 && !falls_asleep)
		watcher->handler(watcher->userdata);
	return 0;
}

int bus_sleep_watch(sd_bus *bus, sd_bus_slot **ret, resume_handler_t handler, void *userdata)
{
	_cleanup_(sd_bus_slot_unrefp) sd_bus_slot *slot = NULL;
	_cleanup_(freep) struct watcher *watcher = malloc(sizeof(*watcher));
	int r;

	if (!watcher)
		return -ENOMEM;
	*watcher = (struct watcher){ handler, userdata };
	r = sd_bus_match_signal_async(bus, &slot, "org.freedesktop.login1",
				      "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
				      "PrepareForSleep", on_prepare_for_sleep, NULL, watcher);
	if (r < 0)
		return r;
	r = sd_bus_slot_set_destroy_callback(slot, free);
	if (r < 0)
		return r;
	(void)steal_pointer(watcher); /* the slot's */
	*ret = steal_pointer(slot);
	return 0;
}
