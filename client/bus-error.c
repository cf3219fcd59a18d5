/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One table: what each D-Bus error means for the exit status, and what to do about it. The cause
 * is the service's own message where it sends one that a reader understands.
 */
#include "client/bus-error.h"

#include <errno.h>
#include <string.h>

#include "client/exit-status.h"
#include "client/text.h"
#include "dbus/names.h"

#define DBUS_ERROR(name) "org.freedesktop.DBus.Error." name

static const char start_it[] =
	"Start it with: systemctl start donord. If it does not stay up: journalctl -u donord";
static const char be_root[] = "Run it as root, as in: sudo donorctl ...";
static const char be_asked[] =
	"Run it in a terminal and without --no-ask-password, or as root, as in: sudo donorctl ...";
static const char same_version[] =
	"donorctl and donord may differ in version, see: donorctl version";

struct meaning {
	const char *name; /* a trailing dot stands for all names that start so */
	enum exit_status status;
	const char *cause; /* instead of the message; NULL: the message is for the reader */
	const char *next_step;
};

static const struct meaning meanings[] = {
	{ DONOR_ERROR_NO_SUCH_MODE, STATUS_USAGE, NULL, "See: donorctl modes" },
	{ DONOR_ERROR_NO_SUCH_HOOK, STATUS_USAGE, NULL, "See: donorctl donation" },
	{ DONOR_ERROR_NO_SUCH_PARAMETER, STATUS_USAGE, NULL, "See: donorctl tune" },
	{ DONOR_ERROR_CONFIG_INVALID, STATUS_FAILED, NULL, "Details: journalctl -u donord" },
	{ DONOR_ERROR_NO_SUCH_HOLD, STATUS_FAILED, NULL, "See: donorctl holds" },
	{ DONOR_ERROR_NOT_HOLD_OWNER, STATUS_NOT_AUTHORISED, NULL, "See: donorctl holds" },
	{ DONOR_ERROR_TOO_MANY_HOLDS, STATUS_FAILED, NULL, "See: donorctl holds" },
	{ DONOR_ERROR_TRANSITION_FAILED, STATUS_FAILED, NULL,
	  "Nothing was changed; see: donorctl status" },
	{ DONOR_ERROR_CONFLICTING_SCHEDULER, STATUS_CONFLICT, NULL,
	  "To go on when it has left: donorctl wait attached" },
	{ DONOR_ERROR_KERNEL_UNSUPPORTED, STATUS_UNSUPPORTED, NULL,
	  "What is missing: donorctl doctor" },
	{ DONOR_ERROR_VERIFIER_REJECTED, STATUS_FAILED, NULL,
	  "This is a bug of donor; its report needs: journalctl -u donord" },
	{ DONOR_ERROR_ATTACH_FAILED, STATUS_FAILED, NULL,
	  "Details: journalctl -u donord, and: donorctl doctor" },
	{ DONOR_ERROR_RESTARTING, STATUS_FAILED, NULL,
	  "To go on when it has: donorctl wait attached" },
	{ DONOR_ERROR_BACKED_OFF, STATUS_FAILED, NULL,
	  "To go on when it has: donorctl wait attached" },
	{ DONOR_ERROR_NOT_ATTACHED, STATUS_NOT_ATTACHED, NULL, "Attach it with: donorctl attach" },

	{ DBUS_ERROR("AccessDenied"), STATUS_NOT_AUTHORISED, NULL, be_root },
	{ DBUS_ERROR("InteractiveAuthorizationRequired"), STATUS_NOT_AUTHORISED, NULL, be_asked },
	{ DBUS_ERROR("LimitsExceeded"), STATUS_FAILED, NULL,
	  "Other requests of yours may be waiting for a password: answer or end them" },
	{ "org.freedesktop.PolicyKit1.Error.", STATUS_NOT_AUTHORISED, NULL, be_root },

	{ DBUS_ERROR("ServiceUnknown"), STATUS_UNREACHABLE, "donord is not running", start_it },
	{ DBUS_ERROR("NameHasNoOwner"), STATUS_UNREACHABLE, "donord is not running", start_it },
	{ DBUS_ERROR("NoReply"), STATUS_UNREACHABLE, "donord went away without an answer",
	  start_it },
	{ DBUS_ERROR("Spawn."), STATUS_UNREACHABLE, "donord could not be started", start_it },
	{ DBUS_ERROR("TimedOut"), STATUS_UNREACHABLE, "donord could not be started in time",
	  start_it },
	{ "org.freedesktop.systemd1.", STATUS_UNREACHABLE, "donord could not be started", start_it },

	{ DBUS_ERROR("Timeout"), STATUS_TIMEOUT, "donord did not answer in time",
	  "Allow more with --timeout=SECONDS, or see: journalctl -u donord" },
	{ DBUS_ERROR("UnknownMethod"), STATUS_FAILED, NULL, same_version },
	{ DBUS_ERROR("UnknownProperty"), STATUS_FAILED, NULL, same_version },
	{ DBUS_ERROR("UnknownInterface"), STATUS_FAILED, NULL, same_version },
	{ DBUS_ERROR("UnknownObject"), STATUS_FAILED, NULL, same_version },
	{ DBUS_ERROR("InvalidArgs"), STATUS_FAILED, NULL, same_version },
	{ DBUS_ERROR("InvalidSignature"), STATUS_FAILED, NULL, same_version },
};

static const struct meaning no_bus = {
	"", STATUS_UNREACHABLE, NULL,
	"On this machine, is dbus running? With --host or --machine, does: ssh HOST, or: "
	"machinectl shell MACHINE, work?"
};
static const struct meaning strange_reply = {
	"", STATUS_FAILED, "the answer of donord has another form than this donorctl knows",
	same_version
};
static const struct meaning unknown = { "", STATUS_FAILED, NULL, "Details: journalctl -u donord" };

static bool fits(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '.')
		return !strncmp(pattern, name, length);
	return !strcmp(pattern, name);
}

/* A connection to another machine is only made by the first call. */
static bool is_connection_lost(int r)
{
	return r == -EHOSTUNREACH || r == -ENOTCONN || r == -ECONNRESET || r == -ECONNREFUSED ||
	       r == -EPIPE;
}

static const struct meaning *find_meaning(const sd_bus_error *error, int r)
{
	if (is_connection_lost(r))
		return &no_bus;
	if (!sd_bus_error_is_set(error)) /* sd-bus itself refused to read the answer */
		return r == -EBADMSG || r == -ENXIO || r == -EINVAL ? &strange_reply : &unknown;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (fits(meanings[i].name, error->name))
			return &meanings[i];
	return &unknown;
}

int bus_exit_status(const sd_bus_error *error, int r)
{
	return find_meaning(error, r)->status;
}

bool bus_is_unreachable(const sd_bus_error *error, int r)
{
	return bus_exit_status(error, r) == STATUS_UNREACHABLE;
}

static const char *find_cause(const struct meaning *meaning, const sd_bus_error *error, int r)
{
	if (meaning->cause)
		return meaning->cause;
	if (error->message && *error->message)
		return error->message;
	return error->name ? error->name : strerror(-r);
}

int bus_complain(const sd_bus_error *error, int r)
{
	const struct meaning *meaning = find_meaning(error, r);
	const char *cause = safe(find_cause(meaning, error, r));
	size_t length = strlen(cause);

	/* messages come with and without their full stop */
	if (length && cause[length - 1] == '.')
		length--;
	complain("%s%.*s. %s", meaning == &no_bus ? "cannot reach the system bus: " : "",
		 (int)length, cause, meaning->next_step);
	return (int)meaning->status;
}
