/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of rt-app, and take and serve, which are ours. */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/workload-parse.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MOST_ITEMS 1000000000LL
#define MOST_CHANNELS 1000000LL

struct event_key {
	const char *key;
	enum operation operation;
	enum resource_kind resource;
	int (*parse)(struct parser *parser, const struct event_key *event, const char *key,
		     struct json_object *value, struct script_event *ret);
};

static int find_resource(struct parser *parser, enum resource_kind kind, const char *name,
			 __u32 *ret)
{
	struct workload *w = parser->workload;
	struct script_resource *grown;

	for (*ret = 0; *ret < w->nr_resources; (*ret)++)
		if (w->resources[*ret].kind == kind && strcmp(w->resources[*ret].name, name) == 0)
			return 0;
	grown = reallocarray(w->resources, w->nr_resources + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->resources = grown;
	grown[*ret] = (struct script_resource){
		.kind = kind,
		.name = strdup(name),
		.unique = kind == RESOURCE_TIMER && strncmp(name, "unique", 6) == 0,
	};
	if (!grown[*ret].name)
		return -ENOMEM;
	w->nr_resources++;
	return 0;
}

static int parse_time(struct parser *parser, const struct event_key *event, const char *key,
		      struct json_object *value, struct script_event *ret)
{
	return read_time(&parser->reader, key, value, &ret->time_ns);
}

static int parse_nothing(struct parser *parser, const struct event_key *event, const char *key,
			 struct json_object *value, struct script_event *ret)
{
	return 0;
}

static int parse_name(struct parser *parser, const struct event_key *event, const char *key,
		      struct json_object *value, struct script_event *ret)
{
	const char *name;
	int r = read_string(&parser->reader, key, value, &name);

	if (r < 0)
		return r;
	if (!*name && event->operation != OPERATION_SUSPEND)
		return reader_fail(&parser->reader, key, "is empty; name what it is about");
	/* workgen fills an empty one so */
	return find_resource(parser, event->resource, *name ? name : parser->reader.task,
			     &ret->resource);
}

static int check_members(struct parser *parser, const char *key, struct json_object *value,
			 const char *const *known)
{
	int r = read_object(&parser->reader, key, value);

	if (r < 0)
		return r;
	json_object_object_foreach(value, member, ignored) {
		unsigned i = 0;

		(void)ignored;
		while (known[i] && strcmp(known[i], member))
			i++;
		if (!known[i])
			return reader_fail(&parser->reader, key, "has no member '%s'; leave it out",
					   member);
	}
	return 0;
}

/* The string of that member, which must be there. */
static int member_string(struct parser *parser, const char *key, struct json_object *value,
			 const char *name, const char **ret)
{
	struct json_object *member;

	if (json_object_object_get_ex(value, name, &member))
		return read_string(&parser->reader, key, member, ret);
	return reader_fail(&parser->reader, key, "needs a member '%s'; add it", name);
}

static int parse_wait(struct parser *parser, const struct event_key *event, const char *key,
		      struct json_object *value, struct script_event *ret)
{
	static const char *const known[] = { "ref", "mutex", NULL };
	const char *name, *mutex;
	int r = check_members(parser, key, value, known);

	r = r ?: member_string(parser, key, value, "ref", &name);
	r = r ?: member_string(parser, key, value, "mutex", &mutex);
	r = r ?: find_resource(parser, RESOURCE_CONDITION, name, &ret->resource);
	return r ?: find_resource(parser, RESOURCE_MUTEX, mutex, &ret->mutex);
}

static int parse_timer_mode(struct parser *parser, const char *key, struct json_object *value,
			    struct script_event *ret)
{
	struct json_object *member;
	const char *mode = "relative";
	int r = 0;

	if (json_object_object_get_ex(value, "mode", &member))
		r = read_string(&parser->reader, key, member, &mode);
	if (r < 0)
		return r;
	ret->absolute = strcmp(mode, "absolute") == 0;
	if (ret->absolute || strcmp(mode, "relative") == 0)
		return 0;
	return reader_fail(&parser->reader, key, "has the mode '%s'; give relative or absolute",
			   mode);
}

static int parse_timer(struct parser *parser, const struct event_key *event, const char *key,
		       struct json_object *value, struct script_event *ret)
{
	static const char *const known[] = { "ref", "period", "mode", NULL };
	struct json_object *period;
	const char *name;
	int r = check_members(parser, key, value, known);

	r = r ?: member_string(parser, key, value, "ref", &name);
	r = r ?: find_resource(parser, RESOURCE_TIMER, name, &ret->resource);
	r = r ?: parse_timer_mode(parser, key, value, ret);
	if (r < 0)
		return r;
	if (!json_object_object_get_ex(value, "period", &period))
		return reader_fail(&parser->reader, key, "needs a member 'period'; add it");
	r = read_time(&parser->reader, key, period, &ret->time_ns);
	if (r == 0 && !ret->time_ns)
		return reader_fail(&parser->reader, key, "has a period of 0; give at least 1");
	return r;
}

static int parse_fork(struct parser *parser, const struct event_key *event, const char *key,
		      struct json_object *value, struct script_event *ret)
{
	const char *name;
	__u32 index = 0;
	int r = read_string(&parser->reader, key, value, &name);

	if (r < 0)
		return r;
	json_object_object_foreach(parser->tasks, task, ignored) {
		(void)ignored;
		if (strcmp(task, name) == 0) {
			ret->resource = index;
			return 0;
		}
		index++;
	}
	return reader_fail(&parser->reader, key, "there is no task '%s'; name one of the file",
			   name);
}

static int parse_take(struct parser *parser, const struct event_key *event, const char *key,
		      struct json_object *value, struct script_event *ret)
{
	int r = parse_name(parser, event, key, value, ret);

	if (r == 0)
		parser->workload->resources[ret->resource].is_taken = true;
	return r;
}

static int parse_serve_numbers(struct parser *parser, const char *key, struct json_object *value,
			       struct script_resource *queue, struct script_event *ret)
{
	struct json_object *member;
	__s64 items, channels = 0;
	int r;

	if (!json_object_object_get_ex(value, "items", &member))
		return reader_fail(&parser->reader, key, "needs a member 'items'; add it");
	r = read_number(&parser->reader, key, member, 1, MOST_ITEMS, &items);
	if (r == 0 && json_object_object_get_ex(value, "channels", &member))
		r = read_number(&parser->reader, key, member, 1, MOST_CHANNELS, &channels);
	if (r == 0 && json_object_object_get_ex(value, "run", &member))
		r = read_time(&parser->reader, key, member, &ret->time_ns);
	if (r == 0 && json_object_object_get_ex(value, "after", &member))
		r = read_time(&parser->reader, key, member, &ret->after_ns);
	if (r < 0)
		return r;
	queue->nr_items = (__u64)items;
	queue->nr_channels = (__u32)channels;
	return 0;
}

static int parse_serve(struct parser *parser, const struct event_key *event, const char *key,
		       struct json_object *value, struct script_event *ret)
{
	static const char *const known[] = { "ref", "items", "run", "after", "channels", NULL };
	struct script_resource *queue;
	const char *name;
	int r = check_members(parser, key, value, known);

	r = r ?: member_string(parser, key, value, "ref", &name);
	r = r ?: find_resource(parser, RESOURCE_QUEUE, name, &ret->resource);
	if (r < 0)
		return r;
	queue = &parser->workload->resources[ret->resource];
	if (queue->is_served)
		return reader_fail(&parser->reader, key,
				   "the queue '%s' is served twice; name another", name);
	queue->is_served = true;
	return parse_serve_numbers(parser, key, value, queue, ret);
}

static const struct event_key event_keys[] = {
	{ "runtime", OPERATION_RUNTIME, 0, parse_time },
	{ "run", OPERATION_RUN, 0, parse_time },
	{ "sleep", OPERATION_SLEEP, 0, parse_time },
	{ "timer", OPERATION_TIMER, RESOURCE_TIMER, parse_timer },
	{ "lock", OPERATION_LOCK, RESOURCE_MUTEX, parse_name },
	{ "unlock", OPERATION_UNLOCK, RESOURCE_MUTEX, parse_name },
	{ "wait", OPERATION_WAIT, RESOURCE_CONDITION, parse_wait },
	{ "signal", OPERATION_SIGNAL, RESOURCE_CONDITION, parse_name },
	{ "broad", OPERATION_BROAD, RESOURCE_CONDITION, parse_name },
	{ "sync", OPERATION_SYNC, RESOURCE_CONDITION, parse_wait },
	{ "suspend", OPERATION_SUSPEND, RESOURCE_CONDITION, parse_name },
	{ "resume", OPERATION_RESUME, RESOURCE_CONDITION, parse_name },
	{ "barrier", OPERATION_BARRIER, RESOURCE_BARRIER, parse_name },
	{ "yield", OPERATION_YIELD, 0, parse_nothing },
	{ "fork", OPERATION_FORK, 0, parse_fork },
	{ "take", OPERATION_TAKE, RESOURCE_QUEUE, parse_take },
	{ "serve", OPERATION_SERVE, RESOURCE_QUEUE, parse_serve },
};

/* rt-app takes any suffix; one that begins with a letter is more likely a typing error. */
static const struct event_key *find_event(const char *key)
{
	for (unsigned i = 0; i < ARRAY_SIZE(event_keys); i++) {
		size_t length = strlen(event_keys[i].key);

		if (strncmp(key, event_keys[i].key, length) == 0 &&
		    !islower((unsigned char)key[length]))
			return &event_keys[i];
	}
	return NULL;
}

bool key_is_event(const char *key)
{
	return find_event(key) != NULL;
}

int parse_event(struct parser *parser, struct script_phase *phase, const char *key,
		struct json_object *value)
{
	const struct event_key *event = find_event(key);
	struct script_event *grown, parsed = { .operation = event->operation };
	int r = event->parse(parser, event, key, value, &parsed);

	if (r < 0)
		return r;
	grown = reallocarray(phase->events, phase->nr_events + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	phase->events = grown;
	grown[phase->nr_events++] = parsed;
	return 0;
}

int check_resources(struct parser *parser)
{
	const struct workload *w = parser->workload;

	for (__u32 i = 0; i < w->nr_resources; i++) {
		const struct script_resource *resource = &w->resources[i];

		if (resource->kind == RESOURCE_QUEUE && resource->is_served != resource->is_taken)
			return reader_fail(&parser->reader, NULL,
					   "the queue '%s' has nobody who %s; add that event to a "
					   "task",
					   resource->name,
					   resource->is_served ? "takes" : "serves");
	}
	return 0;
}
