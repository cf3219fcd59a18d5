/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "service/mode.h"

/*
 * donor.conf and its drop-ins, in the order that systemd's tools have made usual: the main file is
 * the first of /etc/donor, /run/donor and /usr/lib/donor. After it come the *.conf files of the
 * donor.conf.d directories of all three, by file name, a later one winning; of two with the same
 * name only the one in /etc counts, then the one in /run.
 */

struct config {
	struct wish wish;
	bool attach; /* at start */
};

/* Something in a file that was passed over: one sentence that begins with "file:line: ". */
typedef void (*config_warn_t)(void *userdata, const char *text);

/*
 * What is wrong in a file costs that key, or that file, its effect and nothing else. root: put
 * before each path; NULL for none. -ENOMEM is the only error.
 */
int config_read(const char *root, config_warn_t warn, void *userdata, struct config *ret);
