/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>
#include <string.h>

#include "service/tally.h"

static void count_exit(struct tally *tally, const char *kind)
{
	unsigned i = 0;

	while (i < tally->nr_kinds && strcmp(tally->exits[i].kind, kind) != 0)
		i++;
	if (i == TALLY_MAX_KINDS)
		return;
	if (i == tally->nr_kinds) {
		(void)snprintf(tally->exits[i].kind, sizeof(tally->exits[i].kind), "%s", kind);
		tally->nr_kinds++;
	}
	tally->exits[i].nr++;
}

void tally_update(struct tally *tally, const struct status *before, const struct status *after,
		  uint64_t now_us)
{
	if (before->state == STATE_ATTACHED && tally->updated_us != 0)
		tally->mode_us[before->mode] += now_us - tally->updated_us;
	tally->updated_us = now_us;
	if (after->last_exit.realtime_us != before->last_exit.realtime_us)
		count_exit(tally, after->last_exit.kind);
}
