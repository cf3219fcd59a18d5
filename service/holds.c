/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "service/cleanup.h"
#include "service/holds.h"

static const char *const words[_HOLD_END_MAX] = {
	[HOLD_RELEASED] = "released",		[HOLD_OVERRIDDEN] = "overridden",
	[HOLD_TIMED_OUT] = "timeout",		[HOLD_OWNER_LEFT] = "owner-left",
	[HOLD_PROCESS_ENDED] = "process-ended",
};

const char *hold_end_to_string(enum hold_end end)
{
	return end < _HOLD_END_MAX ? words[end] : "unknown";
}

/* Is there no room for one more of that user beside the first `nr`? */
static bool is_full(const struct holds *holds, unsigned nr, uint32_t uid, unsigned max_per_uid,
		    unsigned max)
{
	unsigned of_uid = 0;

	for (unsigned i = 0; i < nr; i++)
		of_uid += holds->list[i]->uid == uid;
	return nr >= max || of_uid >= max_per_uid;
}

bool holds_exceed(const struct holds *holds, unsigned place, unsigned max_per_uid, unsigned max)
{
	return is_full(holds, place, holds->list[place]->uid, max_per_uid, max);
}

static int new_cookie(const struct holds *holds, uint32_t *ret)
{
	uint32_t cookie = 0;

	while (cookie == 0 || holds_find(holds, cookie))
		if (getrandom(&cookie, sizeof(cookie), 0) != sizeof(cookie))
			return -errno;
	*ret = cookie;
	return 0;
}

static int append(struct holds *holds, struct hold *hold)
{
	struct hold **list = reallocarray(holds->list, holds->nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	holds->list = list;
	holds->list[holds->nr++] = hold;
	return 0;
}

int holds_take(struct holds *holds, const struct hold *hold, struct hold **ret)
{
	_cleanup_(freep) struct hold *copy = malloc(sizeof(*copy));
	int r;

	if (!copy)
		return -ENOMEM;
	*copy = *hold;
	r = append(holds, copy);
	if (r < 0)
		return r;
	*ret = steal_pointer(copy);
	return 0;
}

int holds_add(struct holds *holds, const struct hold *request, unsigned max_per_uid, unsigned max,
	      struct hold **ret)
{
	struct hold hold = *request;
	int r;

	if (is_full(holds, holds->nr, request->uid, max_per_uid, max))
		return -EUSERS;
	r = new_cookie(holds, &hold.cookie);
	return r < 0 ? r : holds_take(holds, &hold, ret);
}

struct hold *holds_find(const struct holds *holds, uint32_t cookie)
{
	for (unsigned i = 0; i < holds->nr; i++)
		if (holds->list[i]->cookie == cookie)
			return holds->list[i];
	return NULL;
}

void holds_remove(struct holds *holds, struct hold *hold)
{
	unsigned i = 0;

	while (holds->list[i] != hold)
		i++;
	holds->nr--;
	memmove(&holds->list[i], &holds->list[i + 1], (holds->nr - i) * sizeof(holds->list[0]));
	free(hold);
}

void holds_done(struct holds *holds)
{
	for (unsigned i = 0; i < holds->nr; i++)
		free(holds->list[i]);
	free(holds->list);
	*holds = (struct holds){};
}

static struct mode_candidate candidate_of(const struct hold *hold)
{
	const char *before = hold->application[0] ? " (" : "", *after = before[0] ? ")" : "";

	return mode_candidate(hold->mode, "by %s%suid %" PRIu32 "%s%s%s", hold->application, before,
			      hold->uid, after, hold->reason[0] ? ": " : "", hold->reason);
}

/* Modes are in the order of their rank here: power wins. Of one mode the oldest hold is named. */
static struct mode_candidate lowest(const struct holds *holds, const struct hold *except, bool soft)
{
	const struct hold *best = NULL;

	for (unsigned i = 0; i < holds->nr; i++) {
		const struct hold *hold = holds->list[i];

		if (hold != except && hold->soft == soft && (!best || hold->mode < best->mode))
			best = hold;
	}
	return best ? candidate_of(best) : (struct mode_candidate){};
}

void holds_candidates(const struct holds *holds, const struct hold *except,
		      struct mode_inputs *inputs)
{
	inputs->candidates[SOURCE_HOLD] = lowest(holds, except, false);
	inputs->candidates[SOURCE_SOFT_HOLD] = lowest(holds, except, true);
}
