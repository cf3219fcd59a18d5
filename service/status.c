/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>

#include "service/mode.h"
#include "service/status.h"

/* clang-format off */ /* one state per line reads as a table */
static const char *const states[_STATE_MAX] = {
	[STATE_DETACHED] = "detached",
	[STATE_ATTACHING] = "attaching",
	[STATE_ATTACHED] = "attached",
	[STATE_CONFLICT] = "conflict",
	[STATE_BACKOFF] = "backoff",
	[STATE_FAILED] = "failed",
	[STATE_UNSUPPORTED] = "unsupported",
};
/* clang-format on */

static const char *const supports[_SUPPORT_MAX] = {
	[SUPPORT_OK] = "ok",
	[SUPPORT_NO_SCHED_EXT] = "no-sched-ext",
	[SUPPORT_NO_BTF] = "no-btf",
	[SUPPORT_MALFORMED_BTF] = "malformed-btf",
	[SUPPORT_NO_PRIVILEGE] = "no-privilege",
};

const char *state_to_string(enum service_state state)
{
	return state < _STATE_MAX ? states[state] : "unknown";
}

const char *support_to_string(enum kernel_support support)
{
	return support < _SUPPORT_MAX ? supports[support] : "unknown";
}

static const char *donation_words(const bool effective[])
{
	if (effective[DONOR_HOOK_SELECT_CPU] && effective[DONOR_HOOK_ENQUEUE])
		return "donation at select-cpu and enqueue";
	if (effective[DONOR_HOOK_SELECT_CPU])
		return "donation at select-cpu";
	if (effective[DONOR_HOOK_ENQUEUE])
		return "donation at enqueue";
	return "no donation";
}

void status_line(const struct status *status, char *buf, size_t size)
{
	if (status->state == STATE_ATTACHED)
		(void)snprintf(buf, size, "attached, %s, %s", mode_to_string(status->mode),
			       donation_words(status->effective));
	else
		(void)snprintf(buf, size, "%s: %s", state_to_string(status->state), status->reason);
}
