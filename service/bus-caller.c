/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdio.h>

#include "service/bus-caller.h"
#include "service/cleanup.h"

const char *bus_caller(sd_bus_message *message, char *buf, size_t size)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	uid_t uid = (uid_t)-1;

	if (sd_bus_query_sender_creds(message, SD_BUS_CREDS_EUID, &creds) >= 0)
		(void)sd_bus_creds_get_euid(creds, &uid);
	(void)snprintf(buf, size, "%s by uid %d", sd_bus_message_get_member(message), (int)uid);
	return buf;
}
