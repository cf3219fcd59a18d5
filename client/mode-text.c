/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/mode-text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client/text.h"
#include "service/duration.h"

static const char *until_words(const char *until)
{
	static const struct {
		const char *word;
		const char *words;
	} table[] = {
		{ "released", "until it is released" },
		{ "profile-change", "until the power profile changes" },
		{ "power-source-change", "until battery and mains change places" },
		{ "reboot", "until a reboot" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].word, until))
			return table[i].words;
	return safe(until);
}

const char *override_end(const struct override *override, char *text, size_t size)
{
	const char *until = until_words(override->until);
	uint64_t now_usec = (uint64_t)time(NULL) * USEC_PER_SEC;
	char left[64];

	if (override->ends_usec > now_usec)
		snprintf(text, size, "%s, for another %s at most", until,
			 duration_format(override->ends_usec - now_usec, left, sizeof(left)));
	else
		snprintf(text, size, "%s", until);
	return text;
}

static void print_verdict(const char *label, const char *mode, const char *source,
			  const char *reason)
{
	printf("%10s: %s", label, safe(mode));
	if (*source)
		printf(", from %s", safe(source));
	if (*reason)
		printf(": %s", safe(reason));
	putchar('\n');
}

void mode_print_text(const struct service_state *state)
{
	const struct beneath *beneath = &state->beneath;
	const struct override *override = &state->override;
	char text[160];

	print_verdict("Mode", state->mode, state->mode_source, state->mode_reason);
	if (*beneath->mode && strcmp(state->mode_source, "config"))
		print_verdict("Beneath", beneath->mode, beneath->source, beneath->reason);
	if (*override->mode)
		printf("%10s: %s %s%s\n", "Choice", safe(override->mode),
		       override_end(override, text, sizeof(text)),
		       override->persist ? ", also after a reboot" : "");
	if (state->nr_holds)
		printf("%10s: %zu; see: donorctl holds\n", "Holds", state->nr_holds);
}

struct json_object *beneath_json(const struct beneath *beneath)
{
	struct json_object *object = json_object_new_object();

	json_add_text(object, "mode", beneath->mode);
	json_add_text(object, "source", beneath->source);
	json_add_text(object, "reason", beneath->reason);
	return object;
}

struct json_object *override_json(const struct override *override)
{
	struct json_object *object;

	if (!*override->mode)
		return NULL;
	object = json_object_new_object();
	json_add_text(object, "mode", override->mode);
	json_add_text(object, "until", override->until);
	json_add_number(object, "since_usec", override->since_usec);
	json_add_number(object, "ends_usec", override->ends_usec);
	json_add_number(object, "uid", override->uid);
	json_add_bool(object, "persist", override->persist);
	json_add_text(object, "reason", override->reason);
	return object;
}

struct json_object *holds_json(const struct service_state *state)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < state->nr_holds; i++) {
		const struct hold *hold = &state->holds[i];
		struct json_object *object = json_object_new_object();

		json_add_text(object, "mode", hold->mode);
		json_add_text(object, "reason", hold->reason);
		json_add_text(object, "application_id", hold->application);
		json_add_number(object, "uid", hold->uid);
		json_add_number(object, "since_usec", hold->since_usec);
		json_add_number(object, "timeout_usec", hold->timeout_usec);
		json_add_bool(object, "soft", hold->soft);
		json_object_array_add(array, object);
	}
	return array;
}
