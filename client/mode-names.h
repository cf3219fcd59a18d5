/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <string.h>

#include "client/text.h"

/* A typing error shall not start the service, so the names are known here as well. */
static const char *const mode_names[] = { "power", "balanced", "performance", NULL };

static inline bool is_mode(const char *name)
{
	return is_choice(name, mode_names) || !strcmp(name, "power-saver") ||
	       !strcmp(name, "powersave");
}
