/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-exits.h"

static int property_restarts(sd_bus *bus, const char *path, const char *interface,
			     const char *property, sd_bus_message *reply, void *userdata,
			     sd_bus_error *error)
{
	return sd_bus_message_append(reply, "u", manager_status(userdata)->nr_restarts);
}

static int property_next_attempt(sd_bus *bus, const char *path, const char *interface,
				 const char *property, sd_bus_message *reply, void *userdata,
				 sd_bus_error *error)
{
	return sd_bus_message_append(reply, "t", manager_status(userdata)->next_attempt_us);
}

static int append_exits(sd_bus_message *reply, const struct exits *exits, uint32_t limit)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "(tsxsst)");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < exits->nr && (limit == 0 || i < limit); i++) {
		const struct exit_info *info = &exits->list[i];

		r = sd_bus_message_append(reply, "(tsxsst)", info->realtime_us, info->kind,
					  info->code, info->reason, info->message,
					  info->attached_us);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

static int method_list_exits(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	uint32_t limit;
	int r;

	r = sd_bus_message_read(message, "u", &limit);
	if (r < 0)
		return r;
	(void)manager_scheduler(userdata); /* is the last exit still to be noticed? */
	r = sd_bus_message_new_method_return(message, &reply);
	if (r < 0)
		return r;
	r = append_exits(reply, manager_exits(userdata), limit);
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}

static int method_reset_failed(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	int r;

	r = access_check(message, ACCESS_ADMINISTER, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	manager_reset_failed(userdata, bus_caller(message).who);
	return sd_bus_reply_method_return(message, NULL);
}

/* A file that only we could ever write to, and no longer can. */
static int make_report(const struct exits *exits)
{
	_cleanup_(closep) int fd =
		memfd_create("donor-exits", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	_cleanup_(fclosep) FILE *f = NULL;
	int copy;

	if (fd < 0)
		return -errno;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	f = copy < 0 ? NULL : fdopen(copy, "w");
	if (!f) {
		closep(&copy);
		return -errno;
	}
	exits_print(exits, f);
	if (fflush(f) != 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	return steal_fd(fd);
}

/* A dump names the tasks of all users. */
static int method_dump(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(closep) int fd = -1;
	int r;

	r = access_check(message, ACCESS_READ_TASK_STATS, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	(void)manager_scheduler(userdata);
	fd = make_report(manager_exits(userdata));
	if (fd < 0)
		return fd;
	return sd_bus_reply_method_return(message, "h", fd);
}

#define EMITS SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

/* One member per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable scheduler_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Restarts", "u", property_restarts, 0, EMITS),
	SD_BUS_PROPERTY("NextAttemptUSec", "t", property_next_attempt, 0, EMITS),
	SD_BUS_METHOD_WITH_ARGS("ListExits",
				SD_BUS_ARGS("u", limit),
				SD_BUS_RESULT("a(tsxsst)", exits),
				method_list_exits, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ResetFailed",
				SD_BUS_NO_ARGS,
				SD_BUS_NO_RESULT,
				method_reset_failed, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_ARGS("Conflict",
				SD_BUS_ARGS("s", foreign, "b", cleared), 0),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable statistics_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Dump",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("h", report),
				method_dump, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_exits_add(sd_bus *bus, struct manager *manager)
{
	int r;

	r = sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE,
				     scheduler_vtable, manager);
	if (r < 0)
		return r;
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_STATISTICS_INTERFACE,
					statistics_vtable, manager);
}

int bus_emit_conflict(sd_bus *bus, const char *foreign, bool cleared)
{
	return sd_bus_emit_signal(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE, "Conflict", "sb",
				  foreign, cleared);
}
