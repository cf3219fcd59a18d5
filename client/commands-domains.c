/* SPDX-License-Identifier: GPL-2.0-only */
/* domains: what tasks are given between. */
#include "client/bus-error.h"
#include "client/commands.h"
#include "client/domains-json.h"
#include "client/print.h"
#include "service/cleanup.h"

struct json_object *domains_json(const struct domains *domains)
{
	struct json_object *list = json_object_new_array(), *item;
	const struct domain *d;

	for (size_t i = 0; i < domains->nr; i++) {
		d = &domains->list[i];
		item = json_object_new_object();
		json_add_number(item, "domain", i);
		json_add_text(item, "cpus", d->cpus);
		json_add_number(item, "cores", d->cores);
		json_add_number(item, "kind", d->kind);
		json_add_number(item, "node", d->node);
		json_add_number(item, "online", d->online);
		json_add_number(item, "active", d->active);
		json_add_number(item, "load", d->load);
		json_add_number(item, "pressure", d->pressure);
		json_add_number(item, "idle_cores", d->idle_cores);
		json_add_number(item, "idle_cpus", d->idle_cpus);
		json_add_number(item, "queued", d->queued);
		json_add_number(item, "given", d->given);
		json_add_number(item, "taken", d->taken);
		json_add_number(item, "stolen", d->stolen);
		json_object_array_add(list, item);
	}
	return list;
}

static int print_json(const struct options *options, const struct domains *domains)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "monotonic_usec", domains->monotonic_usec);
	json_object_object_add(object, "domains", domains_json(domains));
	return json_print(options, object);
}

/* clang-format off */ /* one column per line reads as a table */
static const struct column columns[] = {
	{ "DOMAIN", true }, { "CPUS", false },	    { "NODE", true },	   { "KIND", true },
	{ "CORES", true },  { "IDLE-CORES", true }, { "IDLE-CPUS", true }, { "QUEUED", true },
	{ "GIVEN", true },  { "TAKEN", true },	    { "STOLEN", true },
};
/* clang-format on */

static void add_row(struct table *table, size_t index, const struct domain *d)
{
	table_add_row(table);
	table_add_number(table, index);
	table_add_text(table, d->cpus);
	table_add_number(table, d->node);
	table_add_number(table, d->kind);
	table_add_number(table, d->cores);
	table_add_number(table, d->idle_cores);
	table_add_number(table, d->idle_cpus);
	table_add_number(table, d->queued);
	table_add_number(table, d->given);
	table_add_number(table, d->taken);
	table_add_number(table, d->stolen);
}

int command_domains(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(domains_done) struct domains domains = { 0 };
	struct table *table;
	int r;

	(void)words;
	r = domains_read(client, &error, &domains);
	if (r < 0)
		return bus_complain(&error, r);
	if (client->options->json)
		return print_json(client->options, &domains);
	table = table_new(client->options);
	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < domains.nr; i++)
		add_row(table, i, &domains.list[i]);
	return table_print(table);
}
