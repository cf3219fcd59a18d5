/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: the mode that a person chose, and what ends it. */

#include <string.h>

#include "service/clock.h"
#include "service/log.h"
#include "service/manager-private.h"

/* In the one file that lasts as long as it is to last, and not in the other. */
static int store(struct manager *manager, const struct override *override)
{
	const struct override none = {};
	int r;

	r = override_store(override->persist ? override : &none, manager->state);
	if (r < 0)
		return r;
	return override_store(override->persist ? &none : override, manager->boot_state);
}

/* Nothing is half done: what cannot be kept as long as was asked is not begun. */
static int keep(struct manager *manager, const struct override *override)
{
	int r;

	r = store(manager, override);
	if (r >= 0)
		r = manager_save_state(manager, override->persist);
	if (r < 0)
		(void)store(manager, &manager->override);
	return r;
}

static int on_time_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct manager *manager = userdata;

	manager_end_override(manager, "its time is over");
	(void)manager_resolve(manager, "the time of the choice is over");
	return 0;
}

/* Its end is a date, for it may come after a reboot; a clock that is set does not move it. */
static void set_timer(struct manager *manager)
{
	const struct override *override = &manager->override;
	uint64_t now = now_us(CLOCK_REALTIME), left_us;
	int r;

	manager->override_timer = sd_event_source_disable_unref(manager->override_timer);
	if (!override->present || override->ends_us == 0)
		return;
	left_us = override->ends_us > now ? override->ends_us - now : 0;
	r = sd_event_add_time_relative(manager->event, &manager->override_timer, CLOCK_BOOTTIME,
				       left_us, 0, on_time_over, manager);
	if (r < 0)
		log_warning_errno(r, "no timer, the choice of a mode will not end by itself: %m");
}

void manager_end_override(struct manager *manager, const char *why)
{
	log_event(EVENT_OVERRIDE_ENDED, .reason = why);
	manager->override = (struct override){};
	manager->inputs.candidates[SOURCE_OVERRIDE] = (struct mode_candidate){};
	set_timer(manager);
	(void)keep(manager, &manager->override);
}

void manager_restore_override(struct manager *manager)
{
	struct state_file *const files[] = { manager->state, manager->boot_state };

	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct override found = override_restore(files[i], now_us(CLOCK_REALTIME));

		if (found.present && found.since_us >= manager->override.since_us)
			manager->override = found;
	}
	manager->inputs.candidates[SOURCE_OVERRIDE] = override_candidate(&manager->override);
	set_timer(manager);
	/* One whose time is over must not come back when the clock is set back. */
	(void)store(manager, &manager->override);
}

int manager_set_mode(struct manager *manager, const struct override *asked, uint64_t timeout_us,
		     bool keep_holds, const char *who)
{
	const struct status before = manager_before(manager);
	struct mode_inputs inputs = manager->inputs;
	struct override override = *asked;
	int r;

	override.since_us = now_us(CLOCK_REALTIME);
	override.ends_us = timeout_us ? override.since_us + timeout_us : 0;
	inputs.candidates[SOURCE_OVERRIDE] = override_candidate(&override);
	if (!keep_holds)
		inputs.candidates[SOURCE_HOLD] = (struct mode_candidate){};
	r = keep(manager, &override);
	if (r < 0)
		return r;
	r = manager_apply(manager, &inputs, &manager->wish, who);
	if (r < 0) {
		(void)keep(manager, &manager->override);
		return r;
	}
	manager->override = override;
	set_timer(manager);
	if (!keep_holds)
		manager_override_holds(manager);
	manager_announce(manager, &before, who);
	return 0;
}

int manager_release_override(struct manager *manager, const char *who)
{
	const struct status before = manager_before(manager);
	struct mode_inputs inputs = manager->inputs;
	int r;

	if (!manager->override.present)
		return 0;
	inputs.candidates[SOURCE_OVERRIDE] = (struct mode_candidate){};
	r = manager_apply(manager, &inputs, &manager->wish, who);
	if (r < 0)
		return r;
	manager_end_override(manager, who);
	manager_announce(manager, &before, who);
	return 0;
}
