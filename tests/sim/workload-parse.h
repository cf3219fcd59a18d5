/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/script.h"
#include "tests/sim/workload-json.h"

/* Between workload-parse.c, which knows tasks, and workload-events.c, which knows events. */

struct parser {
	struct reader reader;
	struct workload *workload;
	struct json_object *tasks; /* all, for fork */
	const char *default_policy;
};

/* Whether key is an event, with or without a suffix: "run", "run1", "timer_A". */
bool key_is_event(const char *key);
/* Appends it to the phase. */
int parse_event(struct parser *parser, struct script_phase *phase, const char *key,
		struct json_object *value);
/* Every queue has both sides. */
int check_resources(struct parser *parser);
