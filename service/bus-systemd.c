/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "service/cleanup.h"
#include "service/bus-systemd.h"

#define SYSTEMD "org.freedesktop.systemd1"
#define ANSWER_US (10 * 1000000ULL) /* well below the time that a unit has for its stop */

/* 0 and an empty path: no job, or no systemd. */
static int our_job(sd_bus *bus, sd_bus_message **ret_reply, const char **ret_path)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *unit;
	uint32_t id;
	int r;

	*ret_path = "";
	r = sd_bus_call_method(bus, SYSTEMD, "/org/freedesktop/systemd1", SYSTEMD ".Manager",
			       "GetUnitByPID", &error, &reply, "u", 0); /* 0: the caller's */
	if (sd_bus_error_has_name(&error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
	    sd_bus_error_has_name(&error, SYSTEMD ".NoUnitForPID"))
		return 0;
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "o", &unit);
	if (r < 0)
		return r;
	r = sd_bus_get_property(bus, SYSTEMD, unit, SYSTEMD ".Unit", "Job", NULL, ret_reply, "(uo)");
	if (r < 0)
		return r;
	r = sd_bus_message_read(*ret_reply, "(uo)", &id, ret_path);
	if (r >= 0 && id == 0)
		*ret_path = "";
	return r;
}

int bus_systemd_is_restarting(sd_bus *bus)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_(freep) char *type = NULL;
	const char *job;
	int r;

	r = sd_bus_set_method_call_timeout(bus, ANSWER_US);
	if (r < 0)
		return r;
	r = our_job(bus, &reply, &job);
	if (r < 0)
		return r;
	if (!job[0])
		return 0;
	r = sd_bus_get_property_string(bus, SYSTEMD, job, SYSTEMD ".Job", "JobType", NULL, &type);
	if (r < 0)
		return r;
	return strcmp(type, "restart") == 0 || strcmp(type, "try-restart") == 0;
}
