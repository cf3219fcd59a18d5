/* SPDX-License-Identifier: GPL-2.0-only */

#include "dbus/names.h"
#include "service/bus-metrics.h"

static int method_get_metrics(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(freep) char *text = NULL;
	int r;

	r = manager_metrics(userdata, METRICS_OPENMETRICS, &text);
	if (r < 0)
		return r;
	return sd_bus_reply_method_return(message, "s", text);
}

/* clang-format off: one member per line reads as a table */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("GetMetrics", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", text),
				method_get_metrics, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_metrics_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_STATISTICS_INTERFACE,
					vtable, manager);
}
