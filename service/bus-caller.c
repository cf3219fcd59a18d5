/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>

#include "service/bus-caller.h"
#include "service/cleanup.h"

struct bus_caller bus_caller(sd_bus_message *message)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	struct bus_caller caller = {};
	uid_t uid = (uid_t)-1;

	if (sd_bus_query_sender_creds(message, SD_BUS_CREDS_EUID, &creds) >= 0)
		(void)sd_bus_creds_get_euid(creds, &uid);
	caller.uid = uid;
	(void)snprintf(caller.who, sizeof(caller.who), "%s by uid %d",
		       sd_bus_message_get_member(message), (int)uid);
	return caller;
}
