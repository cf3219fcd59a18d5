/* SPDX-License-Identifier: GPL-2.0-only */

#include <string.h>

#include "service/settle.h"

#define SECOND_US UINT64_C(1000000)
#define GAP_US (3 * SECOND_US)     /* between two changes */
#define WINDOW_US (60 * SECOND_US) /* in which SETTLE_CHANGES may happen */
#define HOLD_US (60 * SECOND_US)	 /* after too many */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* When the mode that is asked for may come into force. */
static uint64_t due_us(const struct settle *settle, enum donor_mode mode)
{
	uint64_t due = settle->asked_us + settle->settle_us;

	if (settle->changes_us[0] > 0)
		due = later(due, settle->changes_us[0] + GAP_US);
	if (mode > settle->applied)
		due = later(due, settle->held_until_us);
	return due;
}

static bool is_one_too_many(const struct settle *settle, uint64_t now_us)
{
	const uint64_t oldest_us = settle->changes_us[SETTLE_CHANGES - 1];

	return oldest_us > 0 && now_us - oldest_us < WINDOW_US;
}

static void change(struct settle *settle, enum donor_mode mode, uint64_t now_us)
{
	memmove(&settle->changes_us[1], &settle->changes_us[0],
		sizeof(settle->changes_us) - sizeof(settle->changes_us[0]));
	settle->changes_us[0] = now_us;
	settle->applied = mode;
	settle->asked_us = 0;
}

struct settle_answer settle_ask(struct settle *settle, enum donor_mode mode, uint64_t now_us)
{
	struct settle_answer answer = {};

	if (mode == settle->applied) {
		settle->asked_us = 0;
		answer.apply = true;
		return answer;
	}
	if (settle->asked_us == 0)
		settle->asked_us = now_us;
	answer.again_us = due_us(settle, mode);
	if (now_us < answer.again_us)
		return answer;
	if (is_one_too_many(settle, now_us)) {
		memset(settle->changes_us, 0, sizeof(settle->changes_us));
		settle->held_until_us = now_us + HOLD_US;
		answer.flaps = true;
		answer.again_us = settle->held_until_us;
		if (mode > settle->applied)
			return answer;
	}
	change(settle, mode, now_us);
	answer.apply = true;
	answer.again_us = 0;
	return answer;
}

void settle_reset(struct settle *settle, enum donor_mode mode)
{
	*settle = (struct settle){ .settle_us = settle->settle_us, .applied = mode };
}
