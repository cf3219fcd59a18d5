/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads Statistics.GetDomains. Keys that a newer service adds are skipped. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "client/statistics.h"
#include "dbus/names.h"
#include "service/cleanup.h"

#define FIELD(name) offsetof(struct domain, name)

static const struct {
	const char *name;
	const char *type;
	size_t offset;
} fields[] = {
	{ "Cpus", "s", FIELD(cpus) },
	{ "Cores", "u", FIELD(cores) },
	{ "Kind", "u", FIELD(kind) },
	{ "Node", "u", FIELD(node) },
	{ "Online", "u", FIELD(online) },
	{ "Active", "u", FIELD(active) },
	{ "Load", "t", FIELD(load) },
	{ "Pressure", "t", FIELD(pressure) },
	{ "IdleCores", "u", FIELD(idle_cores) },
	{ "IdleCpus", "u", FIELD(idle_cpus) },
	{ "Queued", "t", FIELD(queued) },
	{ "Given", "t", FIELD(given) },
	{ "Taken", "t", FIELD(taken) },
	{ "Stolen", "t", FIELD(stolen) },
};

static int read_field(sd_bus_message *m, const char *name, struct domain *domain)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].name, name))
			return sd_bus_message_read(m, "v", fields[i].type,
						   (char *)domain + fields[i].offset);
	return sd_bus_message_skip(m, "v");
}

static int read_domain(sd_bus_message *m, struct domain *domain)
{
	const char *name;
	int r;

	domain->cpus = "";
	r = sd_bus_message_enter_container(m, 'a', "{sv}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = sd_bus_message_read(m, "s", &name);
		if (r >= 0)
			r = read_field(m, name, domain);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

static int read_list(sd_bus_message *m, struct domains *domains)
{
	struct domain *bigger;
	int r;

	r = sd_bus_message_read(m, "t", &domains->monotonic_usec);
	if (r < 0)
		return r;
	r = sd_bus_message_enter_container(m, 'a', "a{sv}");
	if (r < 0)
		return r;
	while (!(r = sd_bus_message_at_end(m, false))) {
		bigger = reallocarray(domains->list, domains->nr + 1, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		domains->list = bigger;
		memset(&bigger[domains->nr], 0, sizeof(*bigger));
		r = read_domain(m, &bigger[domains->nr++]);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

int domains_read(struct bus_client *client, sd_bus_error *ret_error, struct domains *ret)
{
	static const struct bus_method method = { DONOR_STATISTICS_INTERFACE, "GetDomains", false,
						  false };
	struct domains domains = { 0 };
	int r;

	r = bus_client_call(client, &method, ret_error, &domains.reply, NULL);
	if (r >= 0)
		r = read_list(domains.reply, &domains);
	if (r < 0) {
		domains_done(&domains);
		return r;
	}
	*ret = domains;
	return 0;
}

void domains_done(struct domains *domains)
{
	free(domains->list);
	domains->list = NULL;
	domains->nr = 0;
	domains->reply = sd_bus_message_unref(domains->reply);
}
