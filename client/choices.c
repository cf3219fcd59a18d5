/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/choices.h"

#include <stddef.h>

const char *const state_choices[] = { "attached", "attaching", "detached",    "conflict",
				      "backoff",  "failed",    "unsupported", NULL };

const char *const event_choices[] = { "released", "profile-change", "power-source-change", "reboot",
				      NULL };

const char *const level_choices[] = { "emerg",	"alert", "crit",  "err", "warning",
				      "notice", "info",	 "debug", NULL };

const char *const style_choices[] = { "off", "short", "pretty", NULL };
