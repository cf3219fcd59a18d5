/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

#include "client/options.h"
#include "client/service-state.h"
#include "client/statistics.h"

/* All that `donorctl status` shows. */
struct status_view {
	struct service_state state;
	bool has_snapshot; /* both only while the scheduler is attached */
	struct snapshot snapshot;
	bool has_domains;
	struct domains domains;
};

/* The tasks that the hook gave away since the scheduler was attached. */
uint64_t status_view_given(const struct status_view *view, enum hook hook);

/* How long the scheduler has been attached by the service's clock; 0 if that is not known. */
uint64_t status_view_attached_usec(const struct status_view *view);

void status_print_text(const struct status_view *view);
int status_print_json(const struct options *options, const struct status_view *view);

/* The service does not answer; ops is the scheduler in /sys, "" for none, NULL if not known. */
void status_print_absent_text(const char *ops);
int status_print_absent_json(const struct options *options, const char *ops);
