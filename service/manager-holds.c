/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: the modes that programs hold. */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "service/bus-holds.h"
#include "service/clock.h"
#include "service/holds-state.h"
#include "service/log.h"
#include "service/manager-private.h"

const struct holds *manager_holds(const struct manager *manager)
{
	return &manager->holds;
}

static void remove_hold(struct manager *manager, struct hold *hold)
{
	hold->watch = hold_watch_free(hold->watch);
	holds_remove(&manager->holds, hold);
	manager->nr_hold_changes++;
}

static void log_end(const struct hold *hold, enum hold_end end)
{
	log_event(EVENT_HOLD_RELEASED, .mode = mode_to_string(hold->mode),
		  .application = hold->application, .reason = hold_end_to_string(end));
}

/* The owner hears of an end that is not its own doing; one that has left hears nothing. */
static void end_hold(struct manager *manager, struct hold *hold, enum hold_end end)
{
	log_end(hold, end);
	if (end != HOLD_OWNER_LEFT)
		(void)bus_holds_emit_released(manager->bus, hold, hold_end_to_string(end));
	remove_hold(manager, hold);
}

static void on_hold_over(void *userdata, uint32_t cookie, enum hold_end end)
{
	struct manager *manager = userdata;

	end_hold(manager, holds_find(&manager->holds, cookie), end);
	holds_candidates(&manager->holds, NULL, &manager->inputs);
	(void)manager_resolve(manager, "a hold ended");
}

static int begin(struct manager *manager, struct hold *hold, int pidfd, const char *who)
{
	struct mode_inputs inputs = manager->inputs;
	int r;

	hold->ends_us = hold->timeout_us ? now_us(CLOCK_BOOTTIME) + hold->timeout_us : 0;
	hold->of_process = pidfd >= 0;
	if (hold->of_process)
		hold->process = process_id_of(pidfd);
	r = hold_watch_new(&hold->watch, manager->bus, hold, pidfd, on_hold_over, manager);
	if (r == -EBADF)
		return manager_fail(manager, -EINVAL, "pidfd is not a pidfd; see pidfd_open(2).");
	if (r == -ESRCH)
		return manager_fail(manager, -EINVAL, "The process to hold for has ended already.");
	if (r < 0)
		return manager_fail(manager, r, strerror(-r));
	holds_candidates(&manager->holds, NULL, &inputs);
	return manager_apply(manager, &inputs, &manager->wish, who);
}

static int too_many(struct manager *manager)
{
	(void)snprintf(manager->failure, sizeof(manager->failure),
		       "There may be %u holds, and %u of one user; release one of those that "
		       "'donorctl holds' lists.",
		       manager->config.request.max_holds,
		       manager->config.request.max_holds_per_uid);
	return -EUSERS;
}

int manager_hold_mode(struct manager *manager, const struct hold *request, int pidfd,
		      const char *who, uint32_t *ret_cookie)
{
	const struct request_config *config = &manager->config.request;
	const struct status before = manager_before(manager);
	struct hold *hold;
	int r;

	r = holds_add(&manager->holds, request, config->max_holds_per_uid, config->max_holds, &hold);
	if (r == -EUSERS)
		return too_many(manager);
	if (r < 0)
		return manager_fail(manager, r, strerror(-r));
	r = begin(manager, hold, pidfd, who);
	if (r < 0) {
		hold->watch = hold_watch_free(hold->watch);
		holds_remove(&manager->holds, hold);
		return r;
	}
	manager->nr_hold_changes++;
	log_event(EVENT_HOLD_TAKEN, .mode = mode_to_string(hold->mode),
		  .application = hold->application,
		  .reason = hold->reason[0] ? hold->reason : "no reason given", .request = who);
	*ret_cookie = hold->cookie;
	manager_announce(manager, &before, who);
	return 0;
}

int manager_release_hold(struct manager *manager, uint32_t cookie, const char *sender, uint32_t uid,
			 const char *who)
{
	const struct status before = manager_before(manager);
	struct hold *hold = holds_find(&manager->holds, cookie);
	struct mode_inputs inputs = manager->inputs;
	bool is_owner;
	int r;

	if (!hold)
		return manager_fail(manager, -ENOENT,
				    "There is no hold with this cookie; it may have ended.");
	is_owner = strcmp(hold->owner, sender) == 0;
	if (!is_owner && uid != 0)
		return manager_fail(manager, -EPERM,
				    "The hold is another's: only its owner and root may release "
				    "it.");
	holds_candidates(&manager->holds, hold, &inputs);
	r = manager_apply(manager, &inputs, &manager->wish, who);
	if (r < 0)
		return r;
	if (is_owner) {
		log_end(hold, HOLD_RELEASED);
		remove_hold(manager, hold);
	} else {
		end_hold(manager, hold, HOLD_RELEASED);
	}
	manager_announce(manager, &before, who);
	return 0;
}

void manager_override_holds(struct manager *manager)
{
	for (unsigned i = manager->holds.nr; i > 0; i--)
		if (!manager->holds.list[i - 1]->soft)
			end_hold(manager, manager->holds.list[i - 1], HOLD_OVERRIDDEN);
}

/* Empty if it cannot be told: then it is never the same. */
static const char *bus_id(struct manager *manager, char ret[SD_ID128_STRING_MAX])
{
	sd_id128_t id;

	ret[0] = 0;
	return sd_bus_get_bus_id(manager->bus, &id) < 0 ? ret : sd_id128_to_string(id, ret);
}

void manager_keep_holds(struct manager *manager)
{
	char id[SD_ID128_STRING_MAX];
	int r = holds_store(&manager->holds, bus_id(manager, id), manager->boot_state);

	if (r < 0)
		log_warning_errno(r, "a restart will forget the holds of programs: %m");
	(void)manager_save_state(manager, false);
}

/* -ESRCH: who it is for has left meanwhile. */
static int resume(struct manager *manager, struct hold *hold)
{
	_cleanup_(closep) int pidfd = -1;

	if (hold->of_process) {
		pidfd = process_id_open(&hold->process);
		if (pidfd < 0)
			return pidfd;
	} else if (!hold->owner[0]) {
		return -ESRCH;
	}
	return hold_watch_new(&hold->watch, manager->bus, hold, pidfd, on_hold_over, manager);
}

/* True if the hold goes on, else *ret_end is why it does not. */
static bool goes_on(struct manager *manager, unsigned place, enum hold_end *ret_end)
{
	const struct request_config *config = &manager->config.request;
	struct hold *hold = manager->holds.list[place];
	int r;

	*ret_end = HOLD_TIMED_OUT;
	if (hold->ends_us > 0 && hold->ends_us <= now_us(CLOCK_BOOTTIME))
		return false;
	r = resume(manager, hold);
	*ret_end = hold->of_process ? HOLD_PROCESS_ENDED : HOLD_OWNER_LEFT;
	if (r == -ESRCH)
		return false;
	*ret_end = HOLD_RELEASED;
	if (r < 0)
		log_warning_errno(r, "cannot go on with a hold: %m");
	return r >= 0 &&
	       !holds_exceed(&manager->holds, place, config->max_holds_per_uid, config->max_holds);
}

void manager_restore_holds(struct manager *manager)
{
	char id[SD_ID128_STRING_MAX];
	int r;

	r = holds_restore(&manager->holds, bus_id(manager, id), manager->boot_state);
	if (r < 0)
		log_warning_errno(r, "the holds of before the restart are forgotten: %m");
	for (unsigned place = 0; place < manager->holds.nr;) {
		enum hold_end end;

		if (goes_on(manager, place, &end))
			place++;
		else
			end_hold(manager, manager->holds.list[place], end);
	}
	holds_candidates(&manager->holds, NULL, &manager->inputs);
	if (r < 0 || manager->nr_hold_changes > 0)
		manager_keep_holds(manager);
	if (manager->holds.nr > 0)
		log_info("%u holds of before the restart go on", manager->holds.nr);
}

void manager_drop_holds(struct manager *manager)
{
	while (manager->holds.nr > 0)
		remove_hold(manager, manager->holds.list[manager->holds.nr - 1]);
	holds_done(&manager->holds);
}
