/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: whether to attach at start, after what happened at earlier ones. */

#include <errno.h>
#include <stdio.h>

#include "service/boot-guard.h"
#include "service/log.h"
#include "service/manager-private.h"

static struct boot_guard guard_of(const struct manager *manager)
{
	return (struct boot_guard){ manager->state, manager->boot_state };
}

static bool stay_away(struct manager *manager, const char *reason)
{
	attachment_rest(&manager->attachment, STATE_FAILED, reason);
	log_event(EVENT_BOOT_GUARD, .reason = manager->attachment.reason);
	return false;
}

bool manager_may_attach_at_start(struct manager *manager)
{
	const struct boot_guard guard = guard_of(manager);
	const unsigned nr_unclean = boot_guard_unclean(&guard);
	char reason[STATUS_REASON_BYTES];

	if (boot_guard_is_off())
		return stay_away(manager, "The kernel's command line says donor.off: nothing is "
					  "attached at start; 'donorctl attach' attaches.");
	if (nr_unclean < manager->config.attach.boot_limit)
		return true;
	(void)snprintf(reason, sizeof(reason),
		       "The boot guard keeps the scheduler off: %u times in a row the machine went "
		       "down soon after it was attached. 'donorctl reset-failed' lifts that, "
		       "'donorctl attach' attaches now.",
		       nr_unclean);
	return stay_away(manager, reason);
}

/* Without a directory, as when started by hand, there is nothing to guard. */
static void warn(int r)
{
	if (r < 0 && r != -ENXIO)
		log_warning_errno(r, "the boot guard is without effect: %m");
}

void manager_attempt_begins(struct manager *manager)
{
	const struct boot_guard guard = guard_of(manager);

	warn(boot_guard_attempt(&guard));
}

void manager_attempt_survived(struct manager *manager)
{
	const struct boot_guard guard = guard_of(manager);

	warn(boot_guard_clear(&guard));
}
