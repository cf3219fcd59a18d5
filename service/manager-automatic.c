/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: the mode by power profile, power source and battery, and offering power profiles. */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "service/log.h"
#include "service/manager-private.h"

#define STATE_CHOSEN "profiles.chosen" /* in the one that donor offers */
#define STATE_SEEN "profiles.seen" /* in force last */

enum { ACCURACY_US = 10 * 1000 };

static void on_news(void *userdata);

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	on_news(userdata);
	return 0;
}

/* 0: there is nothing to wait for. */
static void set_timer(struct manager *manager, uint64_t at_us)
{
	struct automatic *automatic = &manager->automatic;
	int r;

	automatic->timer = sd_event_source_disable_unref(automatic->timer);
	if (at_us == 0)
		return;
	r = sd_event_add_time(manager->event, &automatic->timer, CLOCK_MONOTONIC, at_us,
			      ACCURACY_US, on_timer, manager);
	if (r < 0)
		log_warning_errno(r, "cannot set a timer: %m");
}

static void gather(struct manager *manager)
{
	struct automatic *automatic = &manager->automatic;
	struct automatic_news *news = &automatic->news;

	news->profile = automatic->offered ? bus_profiles_state(automatic->offered)
					   : power_profiles_state(automatic->profiles);
	news->battery = battery_state(automatic->battery);
	news->is_low = battery_is_low(&manager->config.automatic, &news->battery, news->is_low);
}

/* Another profile than the one before. That a provider went, or came back with it, is none. */
static bool profile_differs(const struct automatic *automatic)
{
	const struct profile_state *before = &automatic->in_force.profile;
	const struct profile_state *now = &automatic->news.profile;

	return before->profile[0] && now->profile[0] && !now->is_idle &&
	       strcmp(before->profile, now->profile) != 0;
}

static bool power_source_differs(const struct automatic *automatic)
{
	const struct battery_state *before = &automatic->in_force.battery;
	const struct battery_state *now = &automatic->news.battery;

	return before->is_known && now->is_known && before->on_battery != now->on_battery;
}

/* The profile also for a service that comes after this one: a person's choice outlives it, too. */
static void remember(struct manager *manager)
{
	struct automatic *automatic = &manager->automatic;
	const struct automatic_news *news = &automatic->news;

	if (news->battery.is_known)
		automatic->in_force.battery = news->battery;
	if (!news->profile.profile[0] || news->profile.is_idle ||
	    strcmp(news->profile.profile, automatic->in_force.profile.profile) == 0)
		return;
	automatic->in_force.profile = news->profile;
	if (state_set_text(manager->boot_state, STATE_SEEN, news->profile.profile) >= 0)
		(void)manager_save_state(manager, false);
}

/* Who moves the desktop's slider, or plugs the mains, ends a choice that was to last until then. */
static const char *end_override(struct manager *manager, bool is_choice, struct mode_inputs *inputs)
{
	const char *why = NULL;

	if ((is_choice || profile_differs(&manager->automatic)) &&
	    override_ends_by(&manager->override, UNTIL_PROFILE_CHANGE))
		why = "the power profile changed";
	else if (power_source_differs(&manager->automatic) &&
		 override_ends_by(&manager->override, UNTIL_POWER_SOURCE_CHANGE))
		why = "battery and mains changed places";
	if (why)
		inputs->candidates[SOURCE_OVERRIDE] = (struct mode_candidate){};
	return why;
}

/* A battery tells each percent: what says nothing new is not written to the kernel again. */
static bool is_in_force(const struct manager *manager, const struct mode_inputs *inputs)
{
	return memcmp(inputs, &manager->inputs, sizeof(*inputs)) == 0 &&
	       resolve(inputs).in_force.mode == manager->resolution.in_force.mode;
}

/* If the kernel does not take the mode, all is as it was, and the next news try again. */
static int put_in_force(struct manager *manager, const struct status *before,
			struct mode_inputs *inputs, bool is_choice, const char *cause)
{
	const char *override_ends = end_override(manager, is_choice, inputs);
	int r;

	if (is_in_force(manager, inputs)) {
		remember(manager);
		manager_publish(manager);
		return 0;
	}
	r = manager_apply(manager, inputs, &manager->wish, cause);
	if (r >= 0) {
		remember(manager);
		if (override_ends)
			manager_end_override(manager, override_ends);
	}
	manager_announce(manager, before, cause);
	return r;
}

static struct mode_inputs inputs_by_news(struct manager *manager)
{
	struct mode_inputs inputs = manager->inputs;

	gather(manager);
	automatic_inputs(&manager->config.automatic, &manager->automatic.news, &inputs);
	return inputs;
}

static bool wants_to_provide(const struct manager *manager)
{
	const struct automatic_config *config = &manager->config.automatic;

	return config->provide && config->follow &&
	       !power_profiles_have_owner(manager->automatic.profiles);
}

static void tell_limit(enum donor_mode mode)
{
	char reason[64];

	(void)snprintf(reason, sizeof(reason), "%s is the most for a minute", mode_to_string(mode));
	log_event(EVENT_CHANGES_LIMITED, .mode = mode_to_string(mode), .reason = reason);
}

/* Somebody told something, or a time that was waited for is over. */
static void on_news(void *userdata)
{
	struct manager *manager = userdata;
	struct automatic *automatic = &manager->automatic;
	struct mode_inputs inputs;
	struct settle_answer answer;
	struct status before;
	uint64_t now_us = 0;

	if (!automatic->provide) /* the first news may come before all is set up */
		return;
	before = manager_before(manager);
	bus_provide_want(automatic->provide, wants_to_provide(manager));
	inputs = inputs_by_news(manager);
	(void)sd_event_now(manager->event, CLOCK_MONOTONIC, &now_us);
	answer = settle_ask(&automatic->settle, automatic_mode(&inputs), now_us);
	if (answer.flaps)
		tell_limit(automatic->settle.applied);
	set_timer(manager, answer.again_us);
	if (answer.apply)
		(void)put_in_force(manager, &before, &inputs, false,
				   "power profile or power source");
	else
		manager_publish(manager);
}

/* Nothing settles: a person asked for it. The profile and its mode are announced as one change. */
static int at_once(struct manager *manager, bool is_choice, const char *who)
{
	const struct status before = manager_before(manager);
	struct mode_inputs inputs = inputs_by_news(manager);
	enum donor_mode mode = automatic_mode(&inputs);
	int r;

	r = put_in_force(manager, &before, &inputs, is_choice, who);
	if (r < 0)
		return r;
	settle_reset(&manager->automatic.settle, mode);
	set_timer(manager, 0);
	return 0;
}

/* As with power-profiles-daemon, a choice outlasts the service and the computer's being off. */
static void keep_choice(struct manager *manager)
{
	int r;

	r = state_set_text(manager->state, STATE_CHOSEN, manager->automatic.news.profile.profile);
	if (r >= 0)
		r = manager_save_state(manager, false);
	if (r < 0)
		log_warning_errno(r, "the choice of a power profile is not kept: %m");
}

int manager_offer_changed(struct manager *manager, bool is_choice, const char *who)
{
	int r;

	r = at_once(manager, is_choice, who);
	if (r >= 0 && is_choice)
		keep_choice(manager);
	return r;
}

static void wake_battery(struct manager *manager)
{
	const struct automatic_config *config = &manager->config.automatic;

	if (config->low_pct > 0 || config->on_battery.present || config->on_ac.present)
		(void)battery_wake(manager->automatic.battery);
}

void manager_automatic_configure(struct manager *manager)
{
	struct automatic *automatic = &manager->automatic;

	if (!automatic->provide)
		return;
	automatic->settle.settle_us = manager->config.automatic.settle_us;
	wake_battery(manager);
	bus_provide_want(automatic->provide, wants_to_provide(manager));
	(void)at_once(manager, false, "configuration");
}

static void on_provide(void *userdata, bool provides)
{
	struct manager *manager = userdata;
	struct automatic *automatic = &manager->automatic;
	const char *complaint = bus_provide_complaint(automatic->provide);
	char chosen[PROFILE_BYTES] = "";
	int r = 0;

	(void)state_get_text(manager->state, STATE_CHOSEN, chosen, sizeof(chosen));
	automatic->offered = bus_profiles_free(automatic->offered);
	if (provides)
		r = bus_profiles_new(&automatic->offered, manager->bus, manager, chosen);
	if (r < 0)
		log_warning_errno(r, "power profiles are not offered: %m");
	else if (complaint)
		log_warning("power profiles are not offered: %s", complaint);
	on_news(manager);
}

int manager_automatic_start(struct manager *manager)
{
	struct automatic *automatic = &manager->automatic;
	int r;

	automatic->settle.settle_us = manager->config.automatic.settle_us;
	settle_reset(&automatic->settle, automatic_mode(&manager->inputs));
	(void)state_get_text(manager->boot_state, STATE_SEEN, automatic->in_force.profile.profile,
			     sizeof(automatic->in_force.profile.profile));
	r = power_profiles_new(&automatic->profiles, manager->bus, on_news, manager);
	if (r < 0)
		return r;
	r = battery_new(&automatic->battery, manager->bus, on_news, manager);
	if (r < 0)
		return r;
	r = bus_provide_new(&automatic->provide, manager->bus, manager->event, on_provide, manager);
	if (r < 0)
		return r;
	wake_battery(manager);
	on_news(manager); /* if nobody is there, nobody tells */
	return 0;
}

void manager_automatic_done(struct manager *manager)
{
	struct automatic *automatic = &manager->automatic;

	sd_event_source_disable_unref(automatic->timer);
	bus_provide_free(automatic->provide);
	bus_profiles_free(automatic->offered);
	battery_free(automatic->battery);
	power_profiles_free(automatic->profiles);
}
