/* SPDX-License-Identifier: GPL-2.0-only */
/* What verify compares. */
#include "client/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/cleanup.h"

bool comparison_agrees(const struct comparison *c)
{
	const char *sides[] = { c->wish, c->property, c->kernel }, *first = NULL;

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		if (!*sides[i])
			continue;
		if (first && strcmp(first, sides[i]))
			return false;
		first = sides[i];
	}
	return true;
}

/* Long texts are cut, and compared as cut. */
static int add(struct comparisons *comparisons, const char *what, const char *wish,
	       const char *property, const char *kernel)
{
	struct comparison *bigger =
		reallocarray(comparisons->list, comparisons->nr + 1, sizeof(*comparisons->list));

	if (!bigger)
		return -ENOMEM;
	comparisons->list = bigger;
	bigger = &comparisons->list[comparisons->nr++];
	snprintf(bigger->what, sizeof(bigger->what), "%s", what);
	snprintf(bigger->wish, sizeof(bigger->wish), "%s", wish);
	snprintf(bigger->property, sizeof(bigger->property), "%s", property);
	snprintf(bigger->kernel, sizeof(bigger->kernel), "%s", kernel);
	return 0;
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);

	return value ? json_object_get_string(value) : "";
}

static int add_hooks(struct comparisons *comparisons, const struct service_state *state,
		     struct json_object *wished, struct json_object *kernel)
{
	static const char *const knobs[_HOOK_MAX] = {
		[HOOK_SELECT_CPU] = "donate_select_cpu",
		[HOOK_ENQUEUE] = "donate_enqueue",
	};
	int r = 0;

	for (int hook = 0; r >= 0 && hook < _HOOK_MAX; hook++) {
		r = add(comparisons, knobs[hook], text_of(wished, knobs[hook]),
			state->donation_on[hook] ? "1" : "0", text_of(kernel, knobs[hook]));
		if (r >= 0)
			r = add(comparisons, hook_names[hook], "",
				state->donation_effective[hook] ? "1" : "0",
				text_of(kernel, knobs[hook]));
	}
	return r;
}

/* What is not wished but there, or the other way round, shows as a side that says "none". */
static int add_parameters(struct comparisons *comparisons, struct json_object *wished,
			  struct json_object *kernel)
{
	const char *text;
	int r = 0;

	json_object_object_foreach(wished, name, value) {
		text = text_of(kernel, name);
		r = r < 0 ? r
			  : add(comparisons, name, json_object_get_string(value), "",
				*text ? text : "none");
	}
	json_object_object_foreach(kernel, other, unused) {
		(void)unused;
		if (r >= 0 && !json_object_object_get(wished, other))
			r = add(comparisons, other, "none", "", text_of(kernel, other));
	}
	return r;
}

static int read_all(const struct service_state *state, struct json_object *description,
		    const char *ops, struct comparisons *comparisons)
{
	struct json_object *wished = json_object_object_get(description, "wished_parameters");
	struct json_object *kernel = json_object_object_get(description, "parameters");
	int r;

	if (!json_object_is_type(wished, json_type_object) ||
	    !json_object_is_type(kernel, json_type_object))
		return -EBADMSG;
	r = add(comparisons, "scheduler", "donor", state->scheduler,
		!ops   ? ""
		: *ops ? ops
		       : "none");
	if (r >= 0)
		r = add(comparisons, "mode", text_of(description, "wished_mode"), state->mode,
			text_of(description, "kernel_mode"));
	if (r >= 0)
		r = add_hooks(comparisons, state, wished, kernel);
	return r < 0 ? r : add_parameters(comparisons, wished, kernel);
}

int comparisons_read(const struct service_state *state, struct json_object *description,
		     const char *ops, struct comparisons *ret)
{
	struct comparisons comparisons = { 0 };
	int r;

	r = read_all(state, description, ops, &comparisons);
	if (r < 0)
		comparisons_done(&comparisons);
	else
		*ret = comparisons;
	return r;
}

void comparisons_done(struct comparisons *comparisons)
{
	free(comparisons->list);
	*comparisons = (struct comparisons){ 0 };
}
