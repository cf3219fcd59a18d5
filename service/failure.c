/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "service/failure.h"

static struct failure __attribute__((format(printf, 2, 3))) failed(int r, const char *format, ...)
{
	struct failure failure = { .r = r, .state = STATE_FAILED };
	va_list args;

	va_start(args, format);
	(void)vsnprintf(failure.reason, sizeof(failure.reason), format, args);
	va_end(args);
	return failure;
}

static struct failure unsupported(enum kernel_support support, const char *reason)
{
	struct failure failure = failed(-EOPNOTSUPP, "%s", reason);

	failure.state = STATE_UNSUPPORTED;
	failure.support = support;
	return failure;
}

struct failure failure_of_kernel(const struct kernel_state *kernel)
{
	if (!kernel->has_sched_ext)
		return unsupported(SUPPORT_NO_SCHED_EXT,
				   "This kernel has no sched_ext; boot one that is built with "
				   "CONFIG_SCHED_CLASS_EXT.");
	if (!kernel->has_btf)
		return unsupported(SUPPORT_NO_BTF,
				   "This kernel carries no BTF; boot one that is built with "
				   "CONFIG_DEBUG_INFO_BTF.");
	return (struct failure){};
}

struct failure failure_of_topology(int r)
{
	if (r == -E2BIG)
		return failed(-EIO,
			      "This machine has more than the %d CPUs or %d domains that donor was "
			      "built for.",
			      DONOR_MAX_CPUS, DONOR_MAX_DOMAINS);
	return failed(-EIO, "The machine's topology cannot be read: %s", strerror(-r));
}

struct failure failure_of_attach(int r, const char *text)
{
	struct failure failure;

	if (text[0])
		failure = failed(r == -EBADMSG ? r : -EIO, "%s", text);
	else
		failure = failed(r == -EBADMSG ? r : -EIO,
				 "The kernel did not take the scheduler: %s.", strerror(-r));
	switch (r) {
	case -EOPNOTSUPP:
		return unsupported(SUPPORT_NO_SCHED_EXT, failure.reason);
	case -ENODATA:
		return unsupported(SUPPORT_NO_BTF, failure.reason);
	case -EBADF:
		return unsupported(SUPPORT_MALFORMED_BTF, failure.reason);
	case -EPERM:
		failure.support = SUPPORT_NO_PRIVILEGE;
		break;
	}
	return failure;
}

struct failure failure_of_conflict(const char *name, const char *owner, bool wait)
{
	char by[96] = "", stop[96] = "";
	struct failure failure;

	if (owner[0]) {
		(void)snprintf(by, sizeof(by), ", probably by %s", owner);
		(void)snprintf(stop, sizeof(stop), " ('systemctl stop %s')", owner);
	}
	failure = failed(-EBUSY,
			 "The scheduler '%s' is attached%s, and the kernel runs only one; stop "
			 "it%s, and %s.",
			 name[0] ? name : "unknown", by, stop,
			 wait ? "donor attaches by itself" : "'donorctl attach' tries again");
	if (wait)
		failure.state = STATE_CONFLICT;
	return failure;
}
