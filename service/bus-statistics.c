/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * org.donor.Scheduler1.Statistics, read from the memory of the running scheduler. The values move
 * on while they are read: each counter is right by itself, sums of several are not exact.
 */

#include <errno.h>
#include <string.h>

#include "dbus/names.h"
#include "service/bus-error.h"
#include "service/bus-statistics.h"
#include "service/clock.h"
#include "service/topology.h"

static int append_counters(sd_bus_message *reply, const struct donor_counters *values)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "{st}");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < nr_counters; i++) {
		r = sd_bus_message_append(reply, "{st}", counters[i].name,
					  (uint64_t)counter_get(values, &counters[i]));
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

static int append_snapshot(sd_bus_message *reply, const struct scheduler *scheduler)
{
	const struct donor_counters sum =
		counters_sum(scheduler_counters(scheduler), scheduler_topology(scheduler)->nr_cpus);

	return append_counters(reply, &sum);
}

static int append_per_cpu(sd_bus_message *reply, const struct scheduler *scheduler)
{
	const struct donor_counters *per_cpu = scheduler_counters(scheduler);
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{st}");
	if (r < 0)
		return r;
	for (unsigned cpu = 0; cpu < scheduler_topology(scheduler)->nr_cpus; cpu++) {
		r = append_counters(reply, &per_cpu[cpu]);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

static int append_domain(sd_bus_message *reply, const struct donor_topology *topology,
			 unsigned number, const struct donor_domain *live)
{
	const struct donor_domain_topology *domain = &topology->domains[number];
	char cpus[4 * DONOR_MAX_CPUS + 16]; /* the longest list names every other CPU */
	int r;

	r = topology_cpu_list(topology, number, cpus, sizeof(cpus));
	if (r < 0)
		return r;
	/* clang-format off */
	return sd_bus_message_append(reply, "a{sv}", 14,
				     "Cpus", "s", cpus,
				     "Cores", "u", (uint32_t)domain->nr_cores,
				     "Kind", "u", (uint32_t)domain->kind,
				     "Node", "u", (uint32_t)domain->node,
				     "Online", "u", (uint32_t)live->nr_online,
				     "Active", "u", (uint32_t)live->nr_active,
				     "IdleCores", "u", (uint32_t)live->nr_idle_cores,
				     "IdleCpus", "u", (uint32_t)live->nr_idle_cpus,
				     "Load", "t", (uint64_t)live->load,
				     "Pressure", "t", (uint64_t)live->pressure,
				     "Queued", "t", (uint64_t)live->nr_queued,
				     "Given", "t", (uint64_t)live->nr_given,
				     "Taken", "t", (uint64_t)live->nr_taken,
				     "Stolen", "t", (uint64_t)live->nr_stolen);
	/* clang-format on */
}

static int append_domains(sd_bus_message *reply, const struct scheduler *scheduler)
{
	const struct donor_topology *topology = scheduler_topology(scheduler);
	const struct donor_domain *domains = scheduler_domains(scheduler);
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < topology->nr_domains; i++) {
		r = append_domain(reply, topology, i, &domains[i]);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

/* The time, and then what is asked for: every method of this interface answers like that. */
static int reply_with(sd_bus_message *message, struct manager *manager, sd_bus_error *error,
		      int (*append)(sd_bus_message *reply, const struct scheduler *scheduler))
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const struct scheduler *scheduler = manager_scheduler(manager);
	int r;

	if (!scheduler)
		return bus_error_set(error, -ENOLINK,
				     "The scheduler is not attached and counts nothing; 'donorctl "
				     "status' says why.");
	r = sd_bus_message_new_method_return(message, &reply);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "t", now_us(CLOCK_MONOTONIC));
	if (r < 0)
		return r;
	r = append(reply, scheduler);
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}

static int method_get_snapshot(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return reply_with(message, userdata, error, append_snapshot);
}

static int method_get_per_cpu(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return reply_with(message, userdata, error, append_per_cpu);
}

static int method_get_domains(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	return reply_with(message, userdata, error, append_domains);
}

static int property_counter_descriptions(sd_bus *bus, const char *path, const char *interface,
					 const char *property, sd_bus_message *reply,
					 void *userdata, sd_bus_error *error)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "{s(ss)}");
	if (r < 0)
		return r;
	for (unsigned i = 0; i < nr_counters; i++) {
		r = sd_bus_message_append(reply, "{s(ss)}", counters[i].name, "count",
					  counters[i].help);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

/* One member per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("CounterDescriptions", "a{s(ss)}", property_counter_descriptions, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_METHOD_WITH_ARGS("GetSnapshot",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("t", monotonic_usec, "a{st}", counters),
				method_get_snapshot, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetPerCpu",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("t", monotonic_usec, "aa{st}", counters),
				method_get_per_cpu, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetDomains",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("t", monotonic_usec, "aa{sv}", domains),
				method_get_domains, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_statistics_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_STATISTICS_INTERFACE,
					vtable, manager);
}
