/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* What donorctl exits with; the manual promises these numbers to scripts. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_NOT_ATTACHED = 3,
	STATUS_NOT_AUTHORISED = 4,
	STATUS_UNSUPPORTED = 5,
	STATUS_CONFLICT = 6,
	STATUS_UNREACHABLE = 7,
	STATUS_TIMEOUT = 124, /* as timeout(1) has it */
	STATUS_NOT_STARTED = 126, /* as the shell has it, and the next */
	STATUS_NOT_FOUND = 127,
};
