/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "client/service-state.h"
#include "client/statistics.h"

/* What one picture of top is made of. */
struct top_view {
	const char *absent; /* why the service does not answer; NULL: it does */
	struct service_state state;
	bool has_domains;
	struct domains now;
	struct domains before; /* for the rates; of the last picture, or empty */
};

struct top_size {
	unsigned int columns;
	unsigned int rows; /* 0: as many as it takes */
	bool is_live; /* the picture before is on the screen, and is written over */
};

/* Each line is cut to the width, and what does not fit into the height is counted. */
void top_frame_print(FILE *f, const struct top_view *view, const struct top_size *size);
