/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "client/options.h"
#include "client/print.h"
#include "client/service-state.h"

/* Who chose the mode, in words and as JSON. */

/* The lines of the status page: the mode and its source, what lies beneath, choice, holds. */
void mode_print_text(const struct service_state *state);

/* When a person's choice ends: "until the power profile changes, for another 1h 59min at most". */
const char *override_end(const struct override *override, char *text, size_t size);

struct json_object *beneath_json(const struct beneath *beneath);
struct json_object *override_json(const struct override *override); /* NULL if there is none */
struct json_object *holds_json(const struct service_state *state);
