/* SPDX-License-Identifier: GPL-2.0-only */

#include <string.h>

#include "tests/sim/policies.h"

const struct sim_policy *const policies[] = {
	&policy_pinned,
	&policy_donor,
	&policy_lavd_before,
	&policy_lavd_after,
	&policy_idle_core_first,
	&policy_sticky,
	&policy_fifo,
	&policy_fair,
	NULL,
};

const struct sim_policy *policy_find(const char *name)
{
	for (unsigned i = 0; policies[i]; i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}
