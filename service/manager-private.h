/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/attachment.h"
#include "service/automatic.h"
#include "service/bus-profiles.h"
#include "service/bus-provide.h"
#include "service/carried.h"
#include "service/history.h"
#include "service/holds-watch.h"
#include "service/manager.h"
#include "service/metrics-file.h"
#include "service/override.h"
#include "service/resolve.h"
#include "service/settle.h"
#include "service/state-file.h"
#include "service/tally.h"
#include "service/watch.h"

/* What chooses a mode by itself: see manager-automatic.c. */
struct automatic {
	struct power_profiles *profiles;
	struct battery *battery;
	struct bus_provide *provide;
	struct bus_profiles *offered; /* while donor provides the profiles */
	struct automatic_news news; /* as the sources told them last */
	struct automatic_news in_force; /* as they last had an effect */
	struct settle settle;
	sd_event_source *timer; /* until they may have one */
};

/* The manager's inside, for the manager-*.c files alone. */
struct manager {
	sd_event *event;
	sd_bus *bus;
	struct watch *watch;
	struct config config; /* as last read */
	struct state_file *state; /* outlives a reboot; systemd's $STATE_DIRECTORY */
	struct state_file *boot_state; /* outlives a restart of the service; $RUNTIME_DIRECTORY */
	struct mode_inputs inputs; /* whoever has a say in the mode; then manager_resolve() */
	struct resolution resolution; /* of inputs, as the kernel has it */
	struct wish wish; /* its mode is the resolution's */
	struct override override; /* the candidate of SOURCE_OVERRIDE */
	sd_event_source *override_timer;
	struct holds holds; /* the candidates of SOURCE_HOLD and SOURCE_SOFT_HOLD */
	uint64_t nr_hold_changes; /* spares comparing them */
	bool donation_persists[_DONOR_HOOK_MAX]; /* the choice in `wish` outlives a reboot */
	struct automatic automatic;
	struct attachment attachment;
	struct history *history;
	sd_event_source *attempt_timer; /* of the back-off */
	sd_event_source *stable_timer; /* attached that long, earlier exits count no more */
	uint64_t next_attempt_us; /* CLOCK_MONOTONIC; 0 unless backing off */
	char rival[STATUS_NAME_BYTES]; /* the scheduler in our way, as last told */
	sd_bus_slot *owner_slot; /* systemd is being asked who attached it */
	sd_bus_slot *sleep_slot;
	uint64_t free_since_us; /* CLOCK_MONOTONIC when a conflict ended that we still wait out */
	struct status status; /* as last announced */
	struct tally tally;
	struct metrics_file metrics_file;
	char notified[STATUS_REASON_BYTES + 64]; /* the line that systemd was last told */
	char failure[STATUS_REASON_BYTES];

	/* Restarts: manager-restart.c */
	struct carried *carried; /* NULL before manager_start() */
	struct scheduler_fd kept[SCHEDULER_MAX_FDS]; /* names, as systemd keeps them */
	unsigned nr_kept;
	sd_event_source *restart_timer;
};

/* One PropertiesChanged for all that differs from what was last announced. */
void manager_publish(struct manager *manager);

/* Keep the text for manager_reason(); returns r. */
int manager_fail(struct manager *manager, int r, const char *text);

/* See what the kernel says now, and act on it. Errors of an attach end up in State. */
int manager_look(struct manager *manager);

/*
 * manager->inputs changed: find the mode that is in force now, write it to the kernel, tell the
 * bus. `cause` is for the log: "the power profile changed". If the kernel does not take it, what
 * was in force stays, and the next call tries again; the result is -ECANCELED then, and logged.
 */
int manager_resolve(struct manager *manager, const char *cause);

/*
 * The same in steps, for a request that is to have no effect at all where the kernel refuses it:
 * look how things are; try with inputs and choices of the caller's, which become the manager's if
 * the kernel took them; keep the request's books; announce what is different now.
 */
struct status manager_before(struct manager *manager);
int manager_apply(struct manager *manager, const struct mode_inputs *inputs,
		  const struct wish *wish, const char *cause);
void manager_announce(struct manager *manager, const struct status *before, const char *cause);

/* Opens both state files; without their directories, as when started by hand, nothing is kept. */
int manager_open_state(struct manager *manager);

/*
 * Writes both files. A failure is an error where somebody asked to outlive a reboot; the caller has
 * to undo what it put into the state. Else it is only logged.
 */
int manager_save_state(struct manager *manager, bool is_asked_for);

/* At the start, from the state. */
void manager_restore_override(struct manager *manager);
void manager_restore_donation(struct manager *manager);
void manager_restore_parameters(struct manager *manager);

/* The configuration changed, and what it now says anew about donation ends the choices about it. */
void manager_configure_donation(struct manager *manager, const struct config *old);

/* A person's choice ends the holds that are not soft; their candidate is gone already. */
void manager_override_holds(struct manager *manager);

/* At the start, before the mode is settled: those of the donord before us, but for what has ended. */
void manager_restore_holds(struct manager *manager);

/* Leave them to the next one. */
void manager_keep_holds(struct manager *manager);

/* All of them without a word: the service ends. */
void manager_drop_holds(struct manager *manager);

/* No choice is left; manager_resolve() is due. */
void manager_end_override(struct manager *manager, const char *why);

/* What the configuration has to say about the mode. */
void configure_inputs(struct mode_inputs *inputs, const struct config *config);

/* What is in force follows from the inputs, where no kernel has to be asked: nothing is attached. */
void manager_settle(struct manager *manager);

/* Follow power profiles and battery; what the configuration says of them changed; let go of them. */
int manager_automatic_start(struct manager *manager);
void manager_automatic_configure(struct manager *manager);
void manager_automatic_done(struct manager *manager);

/* The status changed: if somebody else provides power profiles now, say so. */
void manager_tell_provider(const struct manager *manager, const struct status *before);

/*
 * is_retry: it follows an exit; if it fails, that counts as another one. One that CPUs interfered
 * with, by coming or going, is always made again.
 */
int manager_attach_now(struct manager *manager, bool is_retry);

/* The kernel ended the scheduler, and attachment_look() saw it. */
void manager_exited(struct manager *manager);

/*
 * Back off or give up; the state says which, and the result is whether it is tried again. Nothing
 * is published.
 */
bool manager_try_later(struct manager *manager, enum exit_cause cause, uint64_t attached_us);

/* The scheduler runs, whoever attached it: the time to be forgiven earlier exits begins. */
void manager_attached(struct manager *manager);

/* It no longer runs, or is about to be attached, or is to stay away. */
void manager_stop_timers(struct manager *manager);

/* False: a boot before this one went down with it, or donor.off; the state says which. */
bool manager_may_attach_at_start(struct manager *manager);

/* Around each attempt: survived is what ran for long enough, ended in an orderly way or failed. */
void manager_attempt_begins(struct manager *manager);
void manager_attempt_survived(struct manager *manager);

/* For bus-sleep.h. */
void manager_resumed(void *userdata);

/* A conflict that began or ended is told once, and who is behind it is found out. */
void manager_tell_conflict(struct manager *manager);

/* At start: what the donord before us left, the attached scheduler included. */
int manager_take_over(struct manager *manager);

/* After that: is it left to us to attach? If not, and nothing is attached, State says why. */
bool manager_wants_attach(struct manager *manager);

/* Have systemd keep what is attached, and nothing else; cheap if nothing changed. */
void manager_keep(struct manager *manager);

/* Once loaded, and as the configuration says: capabilities are of no more use. */
void manager_drop_privileges(struct manager *manager);

/*
 * Attaching needs a load, and this process cannot: end it, and systemd starts another that can.
 * Always fails: -ERESTART, or -EAGAIN when that was done too often; then it is done later.
 */
int manager_restart(struct manager *manager);

/* Told to end: true if what is attached stays so, since another donord will take it over. */
bool manager_leave(struct manager *manager);

/* The status changed: let it add up. */
void manager_count(struct manager *manager, const struct status *before);

/* Write the metrics to the file that the configuration names, if it names one. */
void manager_report(struct manager *manager, const struct report_config *config);
