/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "service/mode.h"
#include "service/override.h"

static const char *const words[_UNTIL_MAX] = {
	[UNTIL_RELEASED] = "released",
	[UNTIL_PROFILE_CHANGE] = "profile-change",
	[UNTIL_POWER_SOURCE_CHANGE] = "power-source-change",
	[UNTIL_REBOOT] = "reboot",
};

int until_from_string(const char *word, enum override_until *ret)
{
	for (enum override_until until = 0; until < _UNTIL_MAX; until++)
		if (strcmp(word, words[until]) == 0) {
			*ret = until;
			return 0;
		}
	return -ENOENT;
}

const char *until_to_string(enum override_until until)
{
	return until < _UNTIL_MAX ? words[until] : "unknown";
}

bool override_ends_by(const struct override *override, enum override_until event)
{
	return override->present && override->until == event && event != UNTIL_RELEASED;
}

struct mode_candidate override_candidate(const struct override *override)
{
	if (!override->present)
		return (struct mode_candidate){};
	return mode_candidate(override->mode, "chosen by uid %" PRIu32 "%s%s", override->uid,
			      override->reason[0] ? ": " : "", override->reason);
}

int override_store(const struct override *override, struct state_file *state)
{
	int r;

	state_remove(state, "override.");
	if (!override->present)
		return 0;
	r = state_set_text(state, "override.mode", mode_to_string(override->mode));
	if (r >= 0)
		r = state_set_text(state, "override.until", until_to_string(override->until));
	if (r >= 0)
		r = state_set_text(state, "override.reason", override->reason);
	if (r >= 0)
		r = state_set_number(state, "override.uid", override->uid);
	if (r >= 0)
		r = state_set_number(state, "override.persist", override->persist);
	if (r >= 0)
		r = state_set_number(state, "override.since_usec", override->since_us);
	if (r >= 0)
		r = state_set_number(state, "override.ends_usec", override->ends_us);
	return r;
}

static bool restore_words(const struct state_file *state, struct override *override)
{
	char mode[32], until[32];

	return state_get_text(state, "override.mode", mode, sizeof(mode)) &&
	       mode_from_string(mode, &override->mode) >= 0 &&
	       state_get_text(state, "override.until", until, sizeof(until)) &&
	       until_from_string(until, &override->until) >= 0 &&
	       state_get_text(state, "override.reason", override->reason,
			      sizeof(override->reason)) &&
	       sender_text_check(override->reason) >= 0;
}

static bool restore_numbers(const struct state_file *state, struct override *override)
{
	uint64_t uid, persist;

	if (!state_get_number(state, "override.uid", &uid) || uid > UINT32_MAX ||
	    !state_get_number(state, "override.persist", &persist) ||
	    !state_get_number(state, "override.since_usec", &override->since_us) ||
	    !state_get_number(state, "override.ends_usec", &override->ends_us))
		return false;
	override->uid = uid;
	override->persist = persist;
	return true;
}

struct override override_restore(const struct state_file *state, uint64_t now_us)
{
	struct override override = { .present = true };

	if (!restore_words(state, &override) || !restore_numbers(state, &override) ||
	    (override.ends_us > 0 && override.ends_us <= now_us))
		return (struct override){};
	return override;
}
