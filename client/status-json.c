/* SPDX-License-Identifier: GPL-2.0-only */
/* The status for scripts. The keys are in the manual: add some, never rename one. */
#include "client/domains-json.h"
#include "client/print.h"
#include "client/status-view.h"

static struct json_object *hook_json(const struct status_view *view, enum hook hook)
{
	struct json_object *object = json_object_new_object();

	json_add_bool(object, "on", view->state.donation_on[hook]);
	json_add_bool(object, "effective", view->state.donation_effective[hook]);
	if (view->has_snapshot)
		json_add_number(object, "given", status_view_given(view, hook));
	else
		json_add_text(object, "given", NULL);
	return object;
}

static struct json_object *last_exit_json(const struct last_exit *last)
{
	struct json_object *object;

	if (!*last->kind)
		return NULL;
	object = json_object_new_object();
	json_add_number(object, "realtime_usec", last->realtime_usec);
	json_add_text(object, "kind", last->kind);
	json_object_object_add(object, "code", json_object_new_int64(last->code));
	json_add_text(object, "reason", last->reason);
	json_add_text(object, "message", last->message);
	json_add_number(object, "attached_usec", last->attached_usec);
	return object;
}

int status_print_json(const struct options *options, const struct status_view *view)
{
	const struct service_state *state = &view->state;
	struct json_object *object = json_object_new_object(), *donation = json_object_new_object();

	json_add_bool(object, "reachable", true);
	json_add_text(object, "version", state->version);
	json_add_text(object, "kernel_support", state->kernel_support);
	json_add_text(object, "state", state->state);
	json_add_text(object, "state_reason", state->reason);
	json_add_text(object, "scheduler_name", state->scheduler);
	json_add_text(object, "foreign_scheduler", state->foreign);
	json_add_number(object, "attached_since_usec", state->attached_since_usec);
	json_add_number(object, "attached_usec", status_view_attached_usec(view));
	json_object_object_add(object, "adopted", json_object_new_boolean(state->adopted));
	json_add_text(object, "mode", state->mode);
	json_object_object_add(donation, "select_cpu", hook_json(view, HOOK_SELECT_CPU));
	json_object_object_add(donation, "enqueue", hook_json(view, HOOK_ENQUEUE));
	json_object_object_add(object, "donation", donation);
	json_object_object_add(object, "domains",
			       view->has_domains ? domains_json(&view->domains) : NULL);
	json_object_object_add(object, "last_exit", last_exit_json(&state->last_exit));
	return json_print(options, object);
}

int status_print_absent_json(const struct options *options, const char *ops)
{
	struct json_object *object = json_object_new_object();

	json_add_bool(object, "reachable", false);
	json_add_text(object, "scheduler_name", ops);
	return json_print(options, object);
}
