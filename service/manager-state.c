/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: what outlives the service. */

#include <errno.h>
#include <string.h>

#include "service/log.h"
#include "service/manager-private.h"

static int open_one(struct state_file **ret, const char *variable)
{
	const char *directory = getenv(variable);
	int r;

	r = state_open(ret, directory);
	if (r < 0)
		return r;
	r = state_error(*ret);
	if (r == -EBADMSG)
		log_warning("%s/state is damaged, going on as if it were empty", directory);
	else if (r < 0)
		log_warning_errno(r, "cannot read the state in %s, going on without: %m", directory);
	return 0;
}

int manager_open_state(struct manager *manager)
{
	int r;

	r = open_one(&manager->state, "STATE_DIRECTORY");
	if (r < 0)
		return r;
	r = open_one(&manager->boot_state, "RUNTIME_DIRECTORY");
	if (r < 0)
		return r;
	r = history_open(&manager->history, getenv("RUNTIME_DIRECTORY"));
	if (!manager->history)
		return r;
	if (r < 0)
		log_warning_errno(r, "a restart will forget how the scheduler ended: %m");
	return 0;
}

int manager_save_state(struct manager *manager, bool is_asked_for)
{
	int kept, boot;

	kept = state_save(manager->state);
	boot = state_save(manager->boot_state);
	if (kept < 0 && is_asked_for) {
		(void)snprintf(manager->failure, sizeof(manager->failure),
			       "What is to outlive a reboot cannot be written: %s. Nothing was "
			       "changed; see to the disk, or ask without persist.",
			       strerror(-kept));
		return -ENOSPC;
	}
	/* Without a directory nothing is kept: who starts the service so has been told. */
	if (kept < 0 && kept != -ENXIO)
		log_warning_errno(kept, "cannot write what is to outlive a reboot: %m");
	if (boot < 0 && boot != -ENXIO)
		log_warning_errno(boot, "cannot write what is to outlive a restart: %m");
	return 0;
}
