/* SPDX-License-Identifier: GPL-2.0-only */

/* The interface of power profiles: programs that hold one. */

#include <errno.h>
#include <string.h>

#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-error.h"
#include "service/bus-profiles-private.h"

/* The holder is told, and nobody else. */
static void tell_released(struct bus_profiles *profiles, const struct offer_hold *hold)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *signal = NULL;
	const char *holder = sd_bus_track_first(hold->owner);

	if (!holder ||
	    sd_bus_message_new_signal(profiles->bus, &signal, profiles_ends[hold->interface].path,
				      profiles_ends[hold->interface].interface,
				      "ProfileReleased") < 0 ||
	    sd_bus_message_append(signal, "u", hold->cookie) < 0 ||
	    sd_bus_message_set_destination(signal, holder) < 0)
		return;
	(void)sd_bus_send(profiles->bus, signal, NULL);
}

static void forget(struct bus_profiles *profiles, struct offer_hold *hold)
{
	sd_bus_track_unref(hold->owner);
	offer_hold_free(&profiles->offer, hold);
}

void profiles_end_holds(struct bus_profiles *profiles)
{
	while (profiles->offer.holds) {
		tell_released(profiles, profiles->offer.holds);
		forget(profiles, profiles->offer.holds);
	}
}

static int on_holder_gone(sd_bus_track *track, void *userdata)
{
	struct bus_profiles *profiles = userdata;
	struct offer_hold *hold = profiles->offer.holds;

	while (hold && hold->owner != track)
		hold = hold->next;
	if (!hold)
		return 0;
	forget(profiles, hold);
	(void)manager_offer_changed(profiles->manager, false, "the holder of a power profile left");
	profiles_emit(profiles, "ActiveProfileHolds");
	return 0;
}

static int track_holder(struct bus_profiles *profiles, sd_bus_message *message,
			struct offer_hold *hold)
{
	sd_bus_track *track = NULL;
	int r;

	r = sd_bus_track_new(profiles->bus, &track, on_holder_gone, profiles);
	if (r < 0)
		return r;
	hold->owner = track;
	return sd_bus_track_add_sender(track, message);
}

static unsigned which_end(sd_bus_message *message)
{
	return strcmp(sd_bus_message_get_path(message), profiles_ends[0].path) != 0;
}

/* What HoldProfile is given; the texts are the message's. */
struct request {
	unsigned profile;
	const char *reason, *application;
};

static int read_request(sd_bus_message *message, struct request *ret, sd_bus_error *error)
{
	const char *name;
	int r;

	r = sd_bus_message_read(message, "sss", &name, &ret->reason, &ret->application);
	if (r < 0)
		return r;
	if (profile_from_string(name, &ret->profile) < 0)
		return profiles_no_such(error, name);
	if (strcmp(name, "balanced") == 0)
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS,
					"Only power-saver and performance can be held.");
	if (sender_text_check(ret->reason) < 0 || sender_text_check(ret->application) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "The reason and the application's name may have %d bytes "
					 "at most, and no control characters.",
					 SENDER_TEXT_MOST);
	return 0;
}

static int begin_hold(struct bus_profiles *profiles, sd_bus_message *message, const char *who,
		      struct offer_hold *hold, sd_bus_error *error)
{
	int r;

	hold->interface = which_end(message);
	r = track_holder(profiles, message, hold);
	if (r < 0)
		return r;
	r = manager_offer_changed(profiles->manager, false, who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(profiles->manager));
	return 0;
}

int profiles_hold(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bus_profiles *profiles = userdata;
	struct bus_caller caller;
	struct request request;
	struct offer_hold *hold;
	int r;

	r = access_check(message, ACCESS_HOLD_MODE, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = read_request(message, &request, error);
	if (r < 0)
		return r;
	caller = bus_caller(message);
	r = offer_hold_new(&profiles->offer, manager_requests(profiles->manager), caller.uid,
			   request.profile, &hold);
	if (r == -EUSERS)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"There are too many holds; release one, or see [Holds] in "
					"donor.conf(5).");
	if (r < 0)
		return r;
	sender_text_copy(hold->reason, request.reason);
	sender_text_copy(hold->application, request.application);
	r = begin_hold(profiles, message, caller.who, hold, error);
	if (r < 0) {
		forget(profiles, hold);
		return r;
	}
	profiles_emit(profiles, "ActiveProfileHolds");
	return sd_bus_reply_method_return(message, "u", hold->cookie);
}

int profiles_release(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct bus_profiles *profiles = userdata;
	struct bus_caller caller;
	struct offer_hold *hold;
	uint32_t cookie;
	bool is_holder;
	int r;

	r = sd_bus_message_read(message, "u", &cookie);
	if (r < 0)
		return r;
	hold = offer_hold_find(&profiles->offer, cookie);
	if (!hold)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "There is no hold with cookie %u.", cookie);
	caller = bus_caller(message);
	is_holder = sd_bus_track_count_sender(hold->owner, message) > 0;
	if (caller.uid != 0 && !is_holder)
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED,
					"A hold is released by who asked for it, or by root.");
	if (!is_holder)
		tell_released(profiles, hold);
	forget(profiles, hold);
	(void)manager_offer_changed(profiles->manager, false, caller.who);
	profiles_emit(profiles, "ActiveProfileHolds");
	return sd_bus_reply_method_return(message, NULL);
}
