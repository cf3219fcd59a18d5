/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <json-c/json.h>

#include "client/bus-client.h"
#include "client/service-state.h"

/* One thing that is wished, shown as a property, and done by the kernel. "": has no such side. */
struct comparison {
	char what[64];
	char wish[64];
	char property[64];
	char kernel[64];
};

struct comparisons {
	struct comparison *list;
	size_t nr;
};

bool comparison_agrees(const struct comparison *comparison);

/*
 * All of them, for a scheduler that is attached. description is what Describe returned at the same
 * moment; ops is the kernel's name of what it runs, NULL where it cannot be asked. -EBADMSG: the
 * description lacks something. -ENOMEM.
 */
int comparisons_read(const struct service_state *state, struct json_object *description,
		     const char *ops, struct comparisons *ret);
void comparisons_done(struct comparisons *comparisons);
