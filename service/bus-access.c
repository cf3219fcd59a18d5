/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <unistd.h>

#include "service/bus-access.h"
#include "service/cleanup.h"

int access_check(sd_bus_message *message, enum access_action action, sd_bus_error *error)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	uid_t uid;
	int r;

	r = sd_bus_query_sender_creds(message, SD_BUS_CREDS_EUID, &creds);
	if (r < 0)
		return r;
	r = sd_bus_creds_get_euid(creds, &uid);
	if (r < 0)
		return r;
	if (uid == 0 || uid == geteuid())
		return 1;
	return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "This is for root.");
}
