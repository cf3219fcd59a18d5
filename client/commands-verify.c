/* SPDX-License-Identifier: GPL-2.0-only */
/* verify: whether wish, properties and kernel say the same. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/print.h"
#include "client/system-files.h"
#include "client/text.h"
#include "client/verify.h"
#include "dbus/names.h"
#include "service/cleanup.h"

enum {
	MOST_LOOKS = 5,
};

static int read_description(struct bus_client *client, sd_bus_error *ret_error,
			    struct json_object **ret)
{
	static const struct bus_method method = { DONOR_INTERFACE, "Describe", false, false };
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	const char *text;
	int r;

	r = bus_client_call(client, &method, ret_error, &reply, NULL);
	if (r >= 0)
		r = sd_bus_message_read(reply, "s", &text);
	if (r < 0)
		return r;
	*ret = json_tokener_parse(text);
	return *ret ? 0 : -EBADMSG;
}

static bool is_same(const struct service_state *a, const struct service_state *b)
{
	return !strcmp(a->state, b->state) && !strcmp(a->mode, b->mode) &&
	       !strcmp(a->scheduler, b->scheduler) &&
	       a->attached_since_usec == b->attached_since_usec &&
	       !memcmp(a->donation_on, b->donation_on, sizeof(a->donation_on)) &&
	       !memcmp(a->donation_effective, b->donation_effective, sizeof(a->donation_effective));
}

/*
 * The description belongs to the moment of the properties if these are the same before and after
 * it. 0: they were; -EAGAIN: something changes all the time.
 */
static int read_moment(struct bus_client *client, sd_bus_error *ret_error,
		       struct service_state *ret_state, struct json_object **ret_description)
{
	int r;

	for (int i = 0; i < MOST_LOOKS; i++) {
		_cleanup_(service_state_done) struct service_state before = { 0 },
										  after = { 0 };
		_cleanup_(json_object_putp) struct json_object *description = NULL;

		r = service_state_read(client, ret_error, &before);
		if (r >= 0)
			r = read_description(client, ret_error, &description);
		if (r >= 0)
			r = service_state_read(client, ret_error, &after);
		if (r < 0)
			return r;
		if (!is_same(&before, &after))
			continue;
		*ret_state = after;
		after.reply = NULL;
		*ret_description = steal_pointer(description);
		return 0;
	}
	return -EAGAIN;
}

static size_t count_differences(const struct comparisons *comparisons)
{
	size_t nr = 0;

	for (size_t i = 0; i < comparisons->nr; i++)
		nr += !comparison_agrees(&comparisons->list[i]);
	return nr;
}

static int print_json(const struct options *options, const struct comparisons *comparisons)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array(),
			   *item;
	const struct comparison *c;

	for (size_t i = 0; i < comparisons->nr; i++) {
		c = &comparisons->list[i];
		item = json_object_new_object();
		json_add_text(item, "what", c->what);
		json_add_text(item, "wish", *c->wish ? c->wish : NULL);
		json_add_text(item, "property", *c->property ? c->property : NULL);
		json_add_text(item, "kernel", *c->kernel ? c->kernel : NULL);
		json_add_bool(item, "agrees", comparison_agrees(c));
		json_object_array_add(list, item);
	}
	json_add_bool(object, "agrees", !count_differences(comparisons));
	json_object_object_add(object, "comparisons", list);
	return json_print(options, object);
}

static int print_differences(const struct options *options, const struct comparisons *comparisons)
{
	static const struct column columns[] = {
		{ "WHAT", false }, { "WISH", false }, { "PROPERTY", false }, { "KERNEL", false }
	};
	struct table *table;

	if (!count_differences(comparisons)) {
		printf("Wish, properties and kernel agree in %zu comparisons.\n", comparisons->nr);
		return STATUS_OK;
	}
	table = table_new(options);
	table_add_columns(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < comparisons->nr; i++) {
		const struct comparison *c = &comparisons->list[i];

		if (comparison_agrees(c))
			continue;
		table_add_row(table);
		table_add_text(table, c->what);
		table_add_text(table, *c->wish ? c->wish : "-");
		table_add_text(table, *c->property ? c->property : "-");
		table_add_text(table, *c->kernel ? c->kernel : "-");
	}
	return table_print(table);
}

static int print(const struct options *options, const struct comparisons *comparisons)
{
	size_t differences = count_differences(comparisons);
	int r;

	r = options->json ? print_json(options, comparisons)
			  : print_differences(options, comparisons);
	if (r || !differences)
		return r;
	complain("%zu of %zu comparisons differ. This is a fault of donor unless somebody else "
		 "writes there; its report needs: donorctl verify --json, and: journalctl -u donord",
		 differences, comparisons->nr);
	return STATUS_FAILED;
}

/* NULL on another machine, whose files are not ours. */
static const char *read_ops(const struct bus_client *client, char *line, size_t size)
{
	if (!bus_client_is_local(client))
		return NULL;
	(void)system_read_line(SYSTEM_ROOT_OPS, line, size);
	return line;
}

int command_verify(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	_cleanup_(json_object_putp) struct json_object *description = NULL;
	_cleanup_(comparisons_done) struct comparisons comparisons = { 0 };
	char line[128];
	int r;

	(void)words;
	r = read_moment(client, &error, &state, &description);
	if (r == -EAGAIN && !sd_bus_error_is_set(&error)) {
		complain("the state changes faster than it can be compared. Try again");
		return STATUS_FAILED;
	}
	if (r >= 0 && !service_state_is_attached(&state))
		return service_state_complain_detached(&state);
	if (r >= 0)
		r = comparisons_read(&state, description, read_ops(client, line, sizeof(line)),
				     &comparisons);
	if (r < 0)
		return bus_complain(&error, r);
	return print(client->options, &comparisons);
}
