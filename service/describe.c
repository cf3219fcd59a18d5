/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "service/describe.h"

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

static struct json_object *modes(void)
{
	struct json_object *array = json_object_new_array();

	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		const struct wish wish = { .mode = mode };
		const struct donor_params params = wish_to_params(&wish);
		struct json_object *object = json_object_new_object();

		add_string(object, "name", mode_to_string(mode));
		add_string(object, "description", mode_description(mode));
		add(object, "parameters", parameters(&params));
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

static struct json_object *last_exit(const struct last_exit *last)
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

static void add_mode(struct json_object *root, const struct status *status)
{
	const struct mode_verdict *chosen = &status->resolution.in_force;

	add_string(root, "mode", mode_to_string(status->mode));
	add_string(root, "mode_source", source_to_string(chosen->source));
	add_string(root, "mode_reason", chosen->reason);
	add(root, "mode_beneath", beneath(&status->resolution.beneath));
	add_string(root, "default_mode", mode_to_string(status->default_mode));
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
	add(root, "donation_select_cpu",
	    json_object_new_boolean(status->donation[DONOR_HOOK_SELECT_CPU]));
	add(root, "donation_enqueue", json_object_new_boolean(status->donation[DONOR_HOOK_ENQUEUE]));
	add(root, "donation_effective", donation_effective(status));
	add(root, "last_exit", last_exit(&status->last_exit));
	add(root, "attached_since_usec", json_object_new_uint64(status->attached_since_us));
	add(root, "modes", modes());
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
	add(root, "donation_follows_mode", donation_follows_mode(manager_wish(manager)));
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
