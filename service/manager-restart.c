/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: restarts of the service, and what outlasts them. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "service/bus-scheduler.h"
#include "service/fd-store.h"
#include "service/log.h"
#include "service/manager-private.h"
#include "service/bus-systemd.h"

/* systemd has the scheduler when the call that attached it returns: a kill may follow at once. */
static int put_fds(const struct scheduler *scheduler)
{
	struct scheduler_fd fds[SCHEDULER_MAX_FDS];
	unsigned nr = scheduler_fds(scheduler, fds);

	for (unsigned i = 0; i < nr; i++) {
		int r = fd_store_put(fds[i].name, fds[i].fd);

		if (r < 0)
			return r;
	}
	return fd_store_sync();
}

static void remove_fds(const struct scheduler_fd fds[], unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		(void)fd_store_remove(fds[i].name);
}

/* What the store has is what is attached. */
static void keep_scheduler(struct manager *manager)
{
	const struct scheduler *scheduler = manager->attachment.scheduler;
	int r;

	if (!fd_store_is_there() || !scheduler == !manager->nr_kept)
		return;
	if (!scheduler) {
		remove_fds(manager->kept, manager->nr_kept);
		manager->nr_kept = 0;
		return;
	}
	manager->nr_kept = scheduler_fds(scheduler, manager->kept);
	r = put_fds(scheduler);
	if (r < 0)
		log_warning_errno(r, "systemd does not keep the scheduler, it will not outlast the "
				     "service: %m");
}

void manager_keep(struct manager *manager)
{
	struct carried *carried = manager->carried;

	if (manager->nr_hold_changes != manager->status.nr_hold_changes)
		manager_keep_holds(manager);
	keep_scheduler(manager);
	if (!carried)
		return;
	carried->wish = CARRIED_NOTHING;
	switch (manager->attachment.state) {
	case STATE_ATTACHING:
	case STATE_ATTACHED:
	case STATE_CONFLICT:
	case STATE_BACKOFF:
		carried->wish = CARRIED_ATTACH;
		break;
	case STATE_DETACHED:
		memcpy(carried->reason, manager->attachment.reason, sizeof(carried->reason));
		carried->wish = CARRIED_REST;
		break;
	default:
		break;
	}
}

void manager_drop_privileges(struct manager *manager)
{
	int r;

	/* Nobody else would start us anew when they are needed again. */
	if (!manager->config.attach.drop_capabilities || !fd_store_is_there() ||
	    !scheduler_can_load())
		return;
	r = scheduler_drop_privileges();
	if (r < 0)
		log_warning_errno(r, "cannot drop capabilities: %m");
}

static int on_restart_allowed(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *manager = userdata;

	manager->restart_timer = sd_event_source_disable_unref(manager->restart_timer);
	if (manager->attachment.state == STATE_FAILED)
		(void)manager_attach_now(manager, false);
	return 0;
}

static int restart_later(struct manager *manager, uint64_t delay_us)
{
	char text[STATUS_REASON_BYTES];
	int r;

	(void)snprintf(
		text, sizeof(text),
		"To load the scheduler donord has to be started anew, and it did so %d times "
		"within %d minutes; it does so again in %" PRIu64 " s. 'systemctl restart "
		"donord' does it now.",
		CARRIED_RESTARTS, (int)(CARRIED_WINDOW_US / 60000000), delay_us / 1000000 + 1);
	attachment_rest(&manager->attachment, STATE_FAILED, text);
	manager_publish(manager);
	log_event(EVENT_NOT_ATTACHED, .reason = text);
	sd_event_source_disable_unref(manager->restart_timer);
	r = sd_event_add_time_relative(manager->event, &manager->restart_timer, CLOCK_MONOTONIC,
				       delay_us, 0, on_restart_allowed, manager);
	if (r < 0)
		log_warning_errno(r, "cannot set a timer: %m");
	return manager_fail(manager, -EAGAIN, text);
}

int manager_restart(struct manager *manager)
{
	uint64_t now_us, delay_us;

	(void)sd_event_now(manager->event, CLOCK_MONOTONIC, &now_us);
	delay_us = carried_count_restart(manager->carried, now_us);
	if (delay_us > 0)
		return restart_later(manager, delay_us);
	log_notice("starting anew for the capabilities that loading the scheduler takes");
	(void)sd_event_exit(manager->event, MANAGER_EXIT_RESTART);
	return manager_fail(manager, -ERESTART,
			    "donord has given up the capabilities that loading the scheduler "
			    "takes; it starts anew to get them back, and attaches then. "
			    "'donorctl wait attached' waits for it.");
}

/* The scheduler's part of what systemd kept. */
static unsigned take_fds(struct fd_store *store, struct scheduler_fd ret[SCHEDULER_MAX_FDS])
{
	const size_t length = sizeof(SCHEDULER_FD_PREFIX) - 1;
	unsigned nr = 0;

	for (unsigned i = 0; i < store->nr && nr < SCHEDULER_MAX_FDS; i++)
		if (strncmp(store->names[i], SCHEDULER_FD_PREFIX, length) == 0)
			ret[nr++] =
				(struct scheduler_fd){ store->names[i], steal_fd(store->fds[i]) };
	return nr;
}

/* It may be in another mode than the one that holds now. */
static void adopted(struct manager *manager)
{
	struct scheduler *scheduler = manager->attachment.scheduler;
	struct donor_params params;
	int r;

	manager->nr_kept = scheduler_fds(scheduler, manager->kept);
	if (!scheduler_is_attached(scheduler))
		return;
	manager_settle(manager);
	params = wish_to_params(&manager->wish);
	manager_drop_privileges(manager);
	manager_attached(manager);
	r = scheduler_set_params(scheduler, &params);
	if (r < 0)
		log_warning_errno(r, "the adopted scheduler did not take its parameters: %m");
	manager_publish(manager);
	log_event(EVENT_ADOPTED, .mode = mode_to_string(manager->status.mode),
		  .scheduler = manager->status.scheduler_name);
	(void)bus_scheduler_emit_attached(manager->bus, manager->status.scheduler_name, true);
}

/* Without a link nothing was attached, and the rest of it is of no use. */
static void take_scheduler(struct manager *manager, struct fd_store *store)
{
	struct scheduler_fd fds[SCHEDULER_MAX_FDS];
	unsigned nr = take_fds(store, fds);
	int r;

	r = attachment_adopt(&manager->attachment, fds, nr);
	if (r >= 0)
		adopted(manager);
	else
		remove_fds(fds, nr);
	if (r < 0 && r != -ENOENT)
		log_event(EVENT_REPLACED,
			  .reason = r == -ESTALE ? "it is of another build" : strerror(-r));
	for (unsigned i = 0; i < nr; i++)
		closep(&fds[i].fd);
}

int manager_take_over(struct manager *manager)
{
	struct fd_store store = {};
	int r;

	r = fd_store_open(&store);
	if (r < 0)
		return r;
	r = carried_open(&store, &manager->carried);
	if (!manager->carried)
		return r;
	if (r < 0)
		log_warning_errno(r, "nothing can be left to the next donord: %m");
	take_scheduler(manager, &store);
	fd_store_done(&store);
	return 0;
}

bool manager_wants_attach(struct manager *manager)
{
	const struct carried *carried = manager->carried;

	if (manager->attachment.scheduler)
		return false;
	if (manager->attachment.stale || carried->wish == CARRIED_ATTACH)
		return true;
	if (carried->wish == CARRIED_NOTHING)
		return manager->config.attach.attach;
	attachment_rest(&manager->attachment, STATE_DETACHED, carried->reason);
	return false;
}

bool manager_leave(struct manager *manager)
{
	int r;

	if (manager->nr_kept == 0)
		return false;
	r = bus_systemd_is_restarting(manager->bus);
	if (r == 0)
		return false;
	if (r < 0) /* it closes what it keeps, if this is a stop */
		log_warning_errno(r, "cannot ask systemd whether this is a restart: %m");
	log_event(EVENT_LEFT_ATTACHED);
	return true;
}
