/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "service/describe.h"
#include "service/parameters.h"

static inline void json_putp(struct json_object **object)
{
	if (*object)
		json_object_put(*object);
}

/* Takes the value; NULL (no memory) shows as null. */
static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	add(object, key, json_object_new_string(value));
}

static struct json_object *parameters(const struct donor_params *params)
{
	struct json_object *object = json_object_new_object();

	for (unsigned i = 0; i < nr_knobs; i++)
		add(object, knobs[i].name, json_object_new_uint64(knob_get(params, &knobs[i])));
	return object;
}

static struct json_object *modes(const struct status *status)
{
	struct json_object *array = json_object_new_array();

	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		struct json_object *object = json_object_new_object();

		add_string(object, "name", mode_to_string(mode));
		add_string(object, "description", mode_description(mode));
		add(object, "parameters", parameters(&status->modes[mode]));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *donation_effective(const struct status *status)
{
	struct json_object *array = json_object_new_array();

	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (status->effective[hook])
			json_object_array_add(array, json_object_new_string(hook_to_string(hook)));
	return array;
}

static struct json_object *last_exit(const struct exit_info *last)
{
	struct json_object *object = json_object_new_object();

	add(object, "realtime_usec", json_object_new_uint64(last->realtime_us));
	add_string(object, "kind", last->kind);
	add(object, "code", json_object_new_int64(last->code));
	add_string(object, "reason", last->reason);
	add_string(object, "message", last->message);
	add(object, "attached_usec", json_object_new_uint64(last->attached_us));
	return object;
}

/* Who decides on each hook: the mode, or a choice that was made. */
static struct json_object *donation_follows_mode(const struct wish *wish)
{
	struct json_object *object = json_object_new_object();

	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		add(object, hook_to_string(hook),
		    json_object_new_boolean(wish->donation[hook] == DONATION_FOLLOWS_MODE));
	return object;
}

static struct json_object *beneath(const struct mode_verdict *verdict)
{
	struct json_object *object = json_object_new_object();

	add_string(object, "mode", mode_to_string(verdict->mode));
	add_string(object, "source", source_to_string(verdict->source));
	add_string(object, "reason", verdict->reason);
	return object;
}

static void add_tuning(struct json_object *object, const char *key, const struct tuning *tuning)
{
	struct json_object *values = json_object_new_object();

	for (unsigned i = 0; i < nr_knobs; i++)
		if (tuning_has(tuning, &knobs[i]))
			add(values, knobs[i].name, json_object_new_uint64(tuning->values[i]));
	add(object, key, values);
}

/* What was set at run time, in all modes and in single ones. */
static struct json_object *tuning(const struct wish *wish)
{
	struct json_object *object = json_object_new_object();

	add_tuning(object, "all", &wish->tuned_always);
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		add_tuning(object, mode_to_string(mode), &wish->tuned[mode]);
	return object;
}

static struct json_object *config_files(const struct config *config)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < config->sources.nr_files; i++)
		json_object_array_add(array, json_object_new_string(config->sources.files[i]));
	return array;
}

static struct json_object * override(const struct override *override)
{
	struct json_object *object = json_object_new_object();

	if (!override->present)
		return object;
	add_string(object, "mode", mode_to_string(override->mode));
	add_string(object, "until", until_to_string(override->until));
	add(object, "since", json_object_new_uint64(override->since_us));
	add(object, "uid", json_object_new_uint64(override->uid));
	add(object, "ends_usec", json_object_new_uint64(override->ends_us));
	add(object, "persist", json_object_new_boolean(override->persist));
	add_string(object, "reason", override->reason);
	return object;
}

static struct json_object *holds(const struct holds *holds)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < holds->nr; i++) {
		const struct hold *hold = holds->list[i];
		struct json_object *object = json_object_new_object();

		add_string(object, "mode", mode_to_string(hold->mode));
		add_string(object, "reason", hold->reason);
		add_string(object, "application_id", hold->application);
		add(object, "uid", json_object_new_uint64(hold->uid));
		add(object, "since", json_object_new_uint64(hold->since_us));
		add(object, "timeout_usec", json_object_new_uint64(hold->timeout_us));
		add(object, "soft", json_object_new_boolean(hold->soft));
		json_object_array_add(array, object);
	}
	return array;
}

static void add_mode(struct json_object *root, const struct status *status)
{
	const struct mode_verdict *chosen = &status->resolution.in_force;

	add_string(root, "mode", mode_to_string(status->mode));
	add_string(root, "mode_source", source_to_string(chosen->source));
	add_string(root, "mode_reason", chosen->reason);
	add(root, "mode_beneath", beneath(&status->resolution.beneath));
	add(root, "override", override(&status->override));
	add_string(root, "default_mode", mode_to_string(status->default_mode));
}

static void add_automatic(struct json_object *root, const struct status *status)
{
	add(root, "follow_power_profiles", json_object_new_boolean(status->follows_profiles));
	add_string(root, "power_profile", status->profile);
	add_string(root, "power_profiles_provider", status->profiles_provider);
	add_string(root, "performance_degraded", status->degraded);
	add(root, "on_battery", json_object_new_boolean(status->on_battery));
}

static void add_status(struct json_object *root, const struct status *status)
{
	add_string(root, "version", DONOR_VERSION);
	add_string(root, "kernel_support", support_to_string(status->support));
	add_string(root, "state", state_to_string(status->state));
	add_string(root, "state_reason", status->reason);
	add_string(root, "scheduler_name", status->scheduler_name);
	add_string(root, "foreign_scheduler", status->foreign);
	add_mode(root, status);
	add_automatic(root, status);
	add(root, "donation_select_cpu",
	    json_object_new_boolean(status->donation[DONOR_HOOK_SELECT_CPU]));
	add(root, "donation_enqueue", json_object_new_boolean(status->donation[DONOR_HOOK_ENQUEUE]));
	add(root, "donation_effective", donation_effective(status));
	add(root, "last_exit", last_exit(&status->last_exit));
	add(root, "attached_since_usec", json_object_new_uint64(status->attached_since_us));
	add(root, "modes", modes(status));
	add(root, "restarts", json_object_new_uint64(status->nr_restarts));
	add(root, "next_attempt_usec", json_object_new_uint64(status->next_attempt_us));
	add(root, "adopted", json_object_new_boolean(status->adopted));
}

int describe(struct manager *manager, char **ret)
{
	_cleanup_(json_putp) struct json_object *root = json_object_new_object();
	const struct scheduler *scheduler = manager_scheduler(manager);
	const struct donor_params wished = wish_to_params(manager_wish(manager));
	const char *text;

	if (!root)
		return -ENOMEM;
	add_status(root, manager_status(manager));
	add(root, "holds", holds(manager_holds(manager)));
	add(root, "donation_follows_mode", donation_follows_mode(manager_wish(manager)));
	add(root, "tuning", tuning(manager_wish(manager)));
	add(root, "config_files", config_files(manager_config(manager)));
	add_string(root, "wished_mode", mode_to_string(wished.mode));
	add(root, "wished_parameters", parameters(&wished));
	add(root, "kernel_mode",
	    scheduler ? json_object_new_string(mode_to_string(scheduler_params(scheduler)->mode))
		      : NULL);
	add(root, "parameters", scheduler ? parameters(scheduler_params(scheduler)) : NULL);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		return -ENOMEM;
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}
