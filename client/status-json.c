/* SPDX-License-Identifier: GPL-2.0-only */
/* The status for scripts. The keys are in the manual: add some, never rename one. */
#include "client/domains-json.h"
#include "client/mode-text.h"
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
	json_add_bool(object, "follow_power_profiles", state->follows_profiles);
	json_add_text(object, "power_profile", state->profile);
	json_add_text(object, "power_profiles_provider", state->profiles_provider);
	json_add_text(object, "performance_degraded", state->degraded);
	json_add_bool(object, "on_battery", state->on_battery);
	json_add_text(object, "mode_source", state->mode_source);
	json_add_text(object, "mode_reason", state->mode_reason);
	json_object_object_add(object, "mode_beneath", beneath_json(&state->beneath));
	json_object_object_add(object, "override", override_json(&state->override));
	json_object_object_add(object, "holds", holds_json(state));
	json_object_object_add(donation, "select_cpu", hook_json(view, HOOK_SELECT_CPU));
	json_object_object_add(donation, "enqueue", hook_json(view, HOOK_ENQUEUE));
	json_object_object_add(object, "donation", donation);
	json_object_object_add(object, "domains",
			       view->has_domains ? domains_json(&view->domains) : NULL);
	json_object_object_add(object, "last_exit",
			       *state->last_exit.kind ? last_exit_json(&state->last_exit) : NULL);
	json_add_number(object, "restarts", state->restarts);
	json_add_number(object, "next_attempt_usec", state->next_attempt_usec);
	return json_print(options, object);
}

int status_print_absent_json(const struct options *options, const char *ops)
{
	struct json_object *object = json_object_new_object();

	json_add_bool(object, "reachable", false);
	json_add_text(object, "scheduler_name", ops);
	return json_print(options, object);
}
