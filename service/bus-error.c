/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>

#include "dbus/names.h"
#include "service/bus-error.h"
#include "service/sender-text.h"

static const struct {
	int error;
	const char *name;
} names[] = {
	{ EOPNOTSUPP, DONOR_ERROR_KERNEL_UNSUPPORTED },
	{ EBUSY, DONOR_ERROR_CONFLICTING_SCHEDULER },
	{ EBADMSG, DONOR_ERROR_VERIFIER_REJECTED },
	{ EIO, DONOR_ERROR_ATTACH_FAILED },
	{ ERESTART, DONOR_ERROR_RESTARTING },
	{ EAGAIN, DONOR_ERROR_BACKED_OFF },
	{ ENOLINK, DONOR_ERROR_NOT_ATTACHED },
	{ ECANCELED, DONOR_ERROR_TRANSITION_FAILED },
	{ ENOENT, DONOR_ERROR_NO_SUCH_HOLD },
	{ EPERM, DONOR_ERROR_NOT_HOLD_OWNER },
	{ EUSERS, DONOR_ERROR_TOO_MANY_HOLDS },
	{ EINVAL, SD_BUS_ERROR_INVALID_ARGS },
	{ EUCLEAN, DONOR_ERROR_CONFIG_INVALID },
	{ ENOMEM, SD_BUS_ERROR_NO_MEMORY },
};

int bus_error_set(sd_bus_error *error, int r, const char *text)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].error == -r)
			return sd_bus_error_set(error, names[i].name, text);
	return sd_bus_error_set(error, SD_BUS_ERROR_FAILED, text);
}

int bus_error_no_such_mode(sd_bus_error *error, const char *name)
{
	return sd_bus_error_setf(error, DONOR_ERROR_NO_SUCH_MODE,
				 "There is no mode '%s'; the modes are power, balanced and "
				 "performance.",
				 name);
}

int bus_error_no_such_hook(sd_bus_error *error, const char *name)
{
	return sd_bus_error_setf(error, DONOR_ERROR_NO_SUCH_HOOK,
				 "There is no hook '%s'; the hooks are select-cpu and enqueue.",
				 name);
}

int bus_error_no_such_parameter(sd_bus_error *error, const char *name)
{
	return sd_bus_error_setf(error, DONOR_ERROR_NO_SUCH_PARAMETER,
				 "There is no parameter '%s'; 'donorctl tune' lists them.", name);
}

int bus_error_check_text(sd_bus_error *error, const char *name, const char *text)
{
	switch (sender_text_check(text)) {
	case 0:
		return 0;
	case -E2BIG:
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "%s is longer than %d bytes; shorten it.", name,
					 SENDER_TEXT_MOST);
	default:
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "%s has control characters in it; leave them out.", name);
	}
}

int bus_error_no_such_option(sd_bus_error *error, const char *name)
{
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "The option '%s' is not known to this method; leave it out, or "
				 "update donor.",
				 name);
}
