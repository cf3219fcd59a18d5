/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>

#include "service/parameters.h"
#include "service/tuning-state.h"

enum {
	KEY_BYTES = 96,
	SCOPE_ALL = _DONOR_MODE_MAX, /* of those below, each mode is one */
	NR_SCOPES,
};

static struct tuning *scope_tuning(struct wish *wish, unsigned scope)
{
	return scope == SCOPE_ALL ? &wish->tuned_always : &wish->tuned[scope];
}

static const char *key_of(const struct knob *knob, unsigned scope, char *buf)
{
	(void)snprintf(buf, KEY_BYTES, "parameter.%s.%s", knob->name,
		       scope == SCOPE_ALL ? "all" : mode_to_string(scope));
	return buf;
}

static void load(const struct state_file *state, bool persists, struct tuning *tuning,
		 const struct knob *knob, const char *key)
{
	uint64_t value;

	if (state_get_number(state, key, &value) && value >= knob->minimum && value <= knob->maximum)
		tuning_set(tuning, knob, value, persists);
}

void tuning_state_load(const struct state_file *state, bool persists, struct wish *wish)
{
	char key[KEY_BYTES];

	for (unsigned i = 0; i < nr_knobs; i++)
		for (unsigned scope = 0; scope < NR_SCOPES; scope++)
			load(state, persists, scope_tuning(wish, scope), &knobs[i],
			     key_of(&knobs[i], scope, key));
}

int tuning_state_store(struct state_file *state, bool persists, const struct wish *wish,
		       const struct knob *knob)
{
	char key[KEY_BYTES];
	int r;

	for (unsigned scope = 0; scope < NR_SCOPES; scope++) {
		const struct tuning *tuning = scope_tuning((struct wish *)wish, scope);

		state_remove(state, key_of(knob, scope, key));
		if (!tuning_has(tuning, knob) || tuning_persists(tuning, knob) != persists)
			continue;
		r = state_set_number(state, key, tuning->values[knob - knobs]);
		if (r < 0)
			return r;
	}
	return 0;
}
