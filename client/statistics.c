/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the answers of org.donor.Scheduler1.Statistics, except domains. */
#include "client/statistics.h"

#include <errno.h>
#include <string.h>

#include "dbus/names.h"
#include "service/cleanup.h"

/* The list with room for one more element, all zero. NULL: no memory, the list is as before. */
static void *grow(void *list, size_t nr, size_t size)
{
	char *bigger = reallocarray(list, nr + 1, size);

	if (bigger)
		memset(bigger + nr * size, 0, size);
	return bigger;
}

int counters_read(sd_bus_message *m, struct counters *counters)
{
	struct counter *counter;
	void *bigger;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "{st}");
	if (r < 0)
		return r;
	for (;;) {
		bigger = grow(counters->list, counters->nr, sizeof(*counters->list));
		if (!bigger)
			return -ENOMEM;
		counters->list = bigger;
		counter = &counters->list[counters->nr];
		r = sd_bus_message_read(m, "{st}", &counter->name, &counter->value);
		if (r <= 0)
			break;
		counters->nr++;
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

static int read_set(sd_bus_message *m, struct snapshot *snapshot)
{
	void *bigger = grow(snapshot->sets, snapshot->nr_sets, sizeof(*snapshot->sets));

	if (!bigger)
		return -ENOMEM;
	snapshot->sets = bigger;
	return counters_read(m, &snapshot->sets[snapshot->nr_sets++]);
}

static int read_sets(sd_bus_message *m, struct snapshot *snapshot)
{
	int r;

	r = sd_bus_message_enter_container(m, 'a', "a{st}");
	if (r < 0)
		return r;
	while (!(r = sd_bus_message_at_end(m, false))) {
		r = read_set(m, snapshot);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int read_snapshot(struct bus_client *client, const struct bus_method *method,
			 int (*read)(sd_bus_message *m, struct snapshot *snapshot),
			 sd_bus_error *ret_error, struct snapshot *ret)
{
	struct snapshot snapshot = { 0 };
	int r;

	r = bus_client_call(client, method, ret_error, &snapshot.reply, NULL);
	if (r < 0)
		return r;
	r = sd_bus_message_read(snapshot.reply, "t", &snapshot.monotonic_usec);
	if (r >= 0)
		r = read(snapshot.reply, &snapshot);
	if (r < 0) {
		snapshot_done(&snapshot);
		return r;
	}
	*ret = snapshot;
	return 0;
}

int snapshot_read(struct bus_client *client, sd_bus_error *ret_error, struct snapshot *ret)
{
	static const struct bus_method method = { DONOR_STATISTICS_INTERFACE, "GetSnapshot", false,
						  false };

	return read_snapshot(client, &method, read_set, ret_error, ret);
}

int snapshot_read_per_cpu(struct bus_client *client, sd_bus_error *ret_error, struct snapshot *ret)
{
	static const struct bus_method method = { DONOR_STATISTICS_INTERFACE, "GetPerCpu", false,
						  false };

	return read_snapshot(client, &method, read_sets, ret_error, ret);
}

void snapshot_done(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_sets; i++)
		free(snapshot->sets[i].list);
	free(snapshot->sets);
	snapshot->sets = NULL;
	snapshot->nr_sets = 0;
	snapshot->reply = sd_bus_message_unref(snapshot->reply);
}

uint64_t counters_value(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->nr; i++)
		if (!strcmp(counters->list[i].name, name))
			return counters->list[i].value;
	return 0;
}

static int read_descriptions(sd_bus_message *m, struct descriptions *descriptions)
{
	struct description *d;
	void *bigger;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "{s(ss)}");
	if (r < 0)
		return r;
	for (;;) {
		bigger = grow(descriptions->list, descriptions->nr, sizeof(*descriptions->list));
		if (!bigger)
			return -ENOMEM;
		descriptions->list = bigger;
		d = &descriptions->list[descriptions->nr];
		r = sd_bus_message_read(m, "{s(ss)}", &d->name, &d->unit, &d->text);
		if (r <= 0)
			return r;
		descriptions->nr++;
	}
}

int descriptions_read(struct bus_client *client, sd_bus_error *ret_error, struct descriptions *ret)
{
	struct descriptions descriptions = { 0 };
	int r;

	r = bus_client_get(client, DONOR_STATISTICS_INTERFACE, "CounterDescriptions", "a{s(ss)}",
			   ret_error, &descriptions.reply);
	if (r >= 0)
		r = read_descriptions(descriptions.reply, &descriptions);
	if (r < 0) {
		descriptions_done(&descriptions);
		return r;
	}
	*ret = descriptions;
	return 0;
}

void descriptions_done(struct descriptions *descriptions)
{
	free(descriptions->list);
	descriptions->list = NULL;
	descriptions->reply = sd_bus_message_unref(descriptions->reply);
}

const char *descriptions_text(const struct descriptions *descriptions, const char *name)
{
	for (size_t i = 0; i < descriptions->nr; i++)
		if (!strcmp(descriptions->list[i].name, name))
			return descriptions->list[i].text;
	return "";
}
