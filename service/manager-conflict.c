/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: another scheduler is in the way; who is behind it, and when it has left. */

#include <string.h>

#include "service/bus-exits.h"
#include "service/bus-owner.h"
#include "service/log.h"
#include "service/manager-private.h"

static void on_owner(void *userdata, const char *unit)
{
	struct manager *manager = userdata;

	if (!unit)
		return;
	log_notice("the scheduler '%s' was probably attached by %s", manager->rival, unit);
	attachment_name_owner(&manager->attachment, unit);
	manager_publish(manager);
}

static void ask_for_owner(struct manager *manager)
{
	int r;

	r = bus_owner_ask(manager->bus, &manager->owner_slot, on_owner, manager);
	if (r < 0)
		log_warning_errno(r, "cannot ask who attached '%s': %m", manager->rival);
}

void manager_tell_conflict(struct manager *manager)
{
	const char *now = attachment_rival(&manager->attachment);

	if (strcmp(now, manager->rival) == 0)
		return;
	manager->owner_slot = sd_bus_slot_unref(manager->owner_slot);
	if (manager->rival[0])
		(void)bus_emit_conflict(manager->bus, manager->rival, true);
	(void)snprintf(manager->rival, sizeof(manager->rival), "%s", now);
	if (!manager->rival[0])
		return;
	(void)bus_emit_conflict(manager->bus, manager->rival, false);
	ask_for_owner(manager);
}
