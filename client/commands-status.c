/* SPDX-License-Identifier: GPL-2.0-only */
/* status and version: the commands that have something to say without the service, too. */
#include <stdio.h>

#include "client/bus-error.h"
#include "client/commands.h"
#include "client/exit-status.h"
#include "client/print.h"
#include "client/status-view.h"
#include "client/system-files.h"
#include "client/text.h"
#include "service/cleanup.h"

uint64_t status_view_given(const struct status_view *view, enum hook hook)
{
	static const char *const counters[_HOOK_MAX] = {
		[HOOK_SELECT_CPU] = "donate_select_cpu_ok",
		[HOOK_ENQUEUE] = "donate_enqueue_ok",
	};

	return view->has_snapshot ? counters_value(view->snapshot.sets, counters[hook]) : 0;
}

uint64_t status_view_attached_usec(const struct status_view *view)
{
	uint64_t since = view->state.attached_since_usec;

	if (!view->has_snapshot || !since || since > view->snapshot.monotonic_usec)
		return 0;
	return view->snapshot.monotonic_usec - since;
}

static void status_view_done(struct status_view *view)
{
	domains_done(&view->domains);
	snapshot_done(&view->snapshot);
	service_state_done(&view->state);
}

/* The scheduler may leave between the calls, so only the state has to be there. */
static int read_view(struct bus_client *client, sd_bus_error *ret_error, struct status_view *view)
{
	_cleanup_(sd_bus_error_free) sd_bus_error first = SD_BUS_ERROR_NULL;
	_cleanup_(sd_bus_error_free) sd_bus_error second = SD_BUS_ERROR_NULL;
	int r;

	r = service_state_read(client, ret_error, &view->state);
	if (r < 0)
		return r;
	if (service_state_is_attached(&view->state)) {
		view->has_snapshot = snapshot_read(client, &first, &view->snapshot) >= 0;
		view->has_domains = domains_read(client, &second, &view->domains) >= 0;
	}
	return 0;
}

/* The scheduler goes on for a while when the service died; the kernel knows. */
static int status_absent(struct bus_client *client, const sd_bus_error *error, int r)
{
	const char *ops = NULL;
	char line[256];

	if (bus_client_is_local(client)) {
		(void)system_read_line(SYSTEM_ROOT_OPS, line, sizeof(line));
		ops = line;
	}
	if (client->options->json)
		status_print_absent_json(client->options, ops);
	else
		status_print_absent_text(ops);
	return bus_complain(error, r);
}

int command_status(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(status_view_done) struct status_view view = { 0 };
	int r;

	(void)words;
	r = read_view(client, &error, &view);
	if (r < 0 && bus_is_unreachable(&error, r))
		return status_absent(client, &error, r);
	if (r < 0)
		return bus_complain(&error, r);
	if (client->options->json)
		return status_print_json(client->options, &view);
	status_print_text(&view);
	return STATUS_OK;
}

int command_version(struct bus_client *client, char **words)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	struct json_object *object;
	int r;

	(void)words;
	r = service_state_read(client, &error, &state);
	if (client->options->json) {
		object = json_object_new_object();
		json_add_text(object, "donorctl", DONOR_VERSION);
		json_add_text(object, "donord", r < 0 ? NULL : state.version);
		return json_print(client->options, object);
	}
	puts("donorctl " DONOR_VERSION);
	if (r >= 0)
		printf("donord %s\n", safe(state.version));
	else
		puts(bus_is_unreachable(&error, r) ? "donord is not running"
						   : "donord does not tell its version");
	return STATUS_OK;
}
