/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks and their phases as rt-app has them, with the object "sim" that rt-app does not know. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/workload-parse.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC 1000000000ULL

enum {
	MOST_LOOPS = 1000000000,
	MOST_INSTANCES = 100000,
	MOST_INSTANCES_PER_CPU = 1000,
	LONGEST_DURATION_S = 86400,
	FULL_SHARE = 1024,
	/* Of tasks that do not say: both are assumed. */
	DEFAULT_SMT_SHARE = 640,
	DEFAULT_FOOTPRINT_KB = 64,
};

/* What rt-app knows and the simulator has no model of. */
static const char *const unmodelled[] = {
	"mem",	      "iorun",	   "util_min",	  "util_max", "membind_nodes", "taskgroup",
	"dl-runtime", "dl-period", "dl-deadline", "period",   "deadline",
};

static int parse_policy(struct parser *parser, const char *policy, enum sched_class *ret)
{
	if (strcmp(policy, "SCHED_OTHER") == 0) {
		*ret = CLASS_FAIR;
		return 0;
	}
	if (strcmp(policy, "SCHED_FIFO") == 0 || strcmp(policy, "SCHED_RR") == 0) {
		*ret = CLASS_RT;
		return 0;
	}
	return reader_fail(&parser->reader, "policy",
			   "'%s' cannot be modelled; give SCHED_OTHER, SCHED_FIFO or SCHED_RR",
			   policy);
}

static int complain_unknown(struct parser *parser, const char *key)
{
	for (unsigned i = 0; i < ARRAY_SIZE(unmodelled); i++)
		if (strcmp(unmodelled[i], key) == 0)
			return reader_fail(&parser->reader, key,
					   "rt-app has it, but the simulator has no model of it; "
					   "leave it out");
	return reader_fail(&parser->reader, key,
			   "is neither an event nor a property; see WORKLOADS.md");
}

/* A nice value; real-time priorities are all one to the model. */
static int parse_priority(struct parser *parser, const char *key, struct json_object *value,
			  enum sched_class sched_class, struct script_settings *settings)
{
	__s64 priority;
	int r;

	if (sched_class == CLASS_RT)
		return read_number(&parser->reader, key, value, 1, 99, &priority);
	r = read_number(&parser->reader, key, value, -20, 19, &priority);
	if (r < 0)
		return r;
	settings->has_nice = true;
	settings->nice = (__s32)priority;
	return 0;
}

/* A property of tasks and phases alike; *ret_known says whether it was one. */
static int parse_setting(struct parser *parser, const char *key, struct json_object *value,
			 enum sched_class sched_class, struct script_settings *settings,
			 bool *ret_known)
{
	*ret_known = true;
	if (strcmp(key, "priority") == 0 || strcmp(key, "nice") == 0)
		return parse_priority(parser, key, value, sched_class, settings);
	if (strcmp(key, "cpus") == 0) {
		settings->restricted = true;
		return read_cpus(&parser->reader, key, value, &settings->allowed);
	}
	*ret_known = false;
	return 0;
}

static int parse_loop(struct parser *parser, struct json_object *value, __s32 *ret)
{
	__s64 loop;
	int r = read_number(&parser->reader, "loop", value, LOOP_ENDLESS, MOST_LOOPS, &loop);

	if (r < 0)
		return r;
	*ret = (__s32)loop;
	return 0;
}

static struct script_phase *add_phase(struct script_task *task)
{
	struct script_phase *grown =
		reallocarray(task->phases, task->nr_phases + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	task->phases = grown;
	grown += task->nr_phases++;
	*grown = (struct script_phase){ .loop = 1 };
	return grown;
}

static int parse_phase(struct parser *parser, struct script_task *task, struct json_object *value)
{
	struct script_phase *phase = add_phase(task);
	bool known;
	int r = 0;

	if (!phase)
		return -ENOMEM;
	json_object_object_foreach(value, key, member) {
		if (strcmp(key, "loop") == 0)
			r = parse_loop(parser, member, &phase->loop);
		else if (key_is_event(key))
			r = parse_event(parser, phase, key, member);
		else
			r = parse_setting(parser, key, member, task->sched_class, &phase->settings,
					  &known)
				    ?: (known ? 0 : complain_unknown(parser, key));
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse_phases(struct parser *parser, struct script_task *task, struct json_object *value)
{
	int r = read_object(&parser->reader, "phases", value);

	if (r < 0)
		return r;
	json_object_object_foreach(value, key, member) {
		r = read_object(&parser->reader, key, member) ?: parse_phase(parser, task, member);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse_sim_member(struct parser *parser, struct script_task *task, const char *key,
			    struct json_object *value)
{
	double share;
	__s64 number = 0;
	int r;

	if (strcmp(key, "bind") == 0)
		return read_bool(&parser->reader, key, value, &task->bind);
	if (strcmp(key, "instances_per_cpu") == 0)
		return read_share(&parser->reader, key, value, MOST_INSTANCES_PER_CPU,
				  &task->instances_per_cpu);
	if (strcmp(key, "smt_share") == 0) {
		r = read_share(&parser->reader, key, value, 1, &share);
		if (r == 0)
			task->smt_share = (__u32)(share * FULL_SHARE + 0.5);
		return r;
	}
	if (strcmp(key, "footprint_kb") == 0) {
		r = read_number(&parser->reader, key, value, 0, 1 << 24, &number);
		task->footprint_kb = r < 0 ? 0 : (__u32)number;
		return r;
	}
	if (strcmp(key, "jitter_pct") == 0) {
		r = read_number(&parser->reader, key, value, 0, 100, &number);
		task->jitter_pct = r < 0 ? 0 : (__u32)number;
		return r;
	}
	return reader_fail(&parser->reader, key, "is not one of \"sim\"; see WORKLOADS.md");
}

static int parse_sim(struct parser *parser, struct script_task *task, struct json_object *value)
{
	int r = read_object(&parser->reader, "sim", value);

	if (r < 0)
		return r;
	json_object_object_foreach(value, key, member) {
		r = parse_sim_member(parser, task, key, member);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse_instances(struct parser *parser, struct script_task *task,
			   struct json_object *value)
{
	__s64 nr;
	int r = read_number(&parser->reader, "instance", value, 0, MOST_INSTANCES, &nr);

	if (r == 0)
		task->nr_instances = (__u32)nr;
	return r;
}

/* What stands in the task and is no event. */
static int parse_property(struct parser *parser, struct script_task *task, const char *key,
			  struct json_object *value)
{
	bool known;
	int r;

	if (strcmp(key, "loop") == 0)
		return parse_loop(parser, value, &task->loop);
	if (strcmp(key, "instance") == 0)
		return parse_instances(parser, task, value);
	if (strcmp(key, "delay") == 0)
		return read_time(&parser->reader, key, value, &task->delay_ns);
	if (strcmp(key, "phases") == 0)
		return parse_phases(parser, task, value);
	if (strcmp(key, "sim") == 0)
		return parse_sim(parser, task, value);
	if (strcmp(key, "policy") == 0) /* read before the others */
		return 0;
	r = parse_setting(parser, key, value, task->sched_class, &task->settings, &known);
	return r < 0 || known ? r : complain_unknown(parser, key);
}

static int parse_class(struct parser *parser, struct script_task *task, struct json_object *value)
{
	const char *policy = parser->default_policy;
	struct json_object *member;
	int r = 0;

	if (json_object_object_get_ex(value, "policy", &member))
		r = read_string(&parser->reader, "policy", member, &policy);
	return r ?: parse_policy(parser, policy, &task->sched_class);
}

/* Events that stand in the task itself are its only phase. */
static int parse_members(struct parser *parser, struct script_task *task, struct json_object *value)
{
	struct script_phase *phase = NULL;
	int r = parse_class(parser, task, value);

	if (r < 0)
		return r;
	json_object_object_foreach(value, key, member) {
		if (phase && strcmp(key, "phases") == 0) {
			r = reader_fail(&parser->reader, key,
					"stands beside events; move them into a phase");
		} else if (!key_is_event(key)) {
			r = parse_property(parser, task, key, member);
		} else if (phase || !task->nr_phases) {
			phase = phase ?: add_phase(task);
			r = phase ? parse_event(parser, phase, key, member) : -ENOMEM;
		} else {
			r = reader_fail(&parser->reader, key,
					"stands beside \"phases\"; move it into a phase");
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static int check_task(struct parser *parser, const struct script_task *task)
{
	for (__u32 i = 0; i < task->nr_phases; i++)
		for (__u32 j = 0; j < task->phases[i].nr_events; j++)
			if (task->phases[i].events[j].operation == OPERATION_BARRIER &&
			    !task->nr_instances && task->instances_per_cpu == 0)
				return reader_fail(&parser->reader, "barrier",
						   "in a task that others fork, nobody knows how "
						   "many will come; use wait and signal");
	for (__u32 i = 0; i < task->nr_phases; i++)
		if (task->phases[i].nr_events)
			return 0;
	return reader_fail(&parser->reader, NULL, "has no event; give it a run or a sleep");
}

static int parse_task(struct parser *parser, struct script_task *task, const char *name,
		      struct json_object *value)
{
	int r;

	*task = (struct script_task){
		.name = strdup(name),
		.loop = LOOP_ENDLESS,
		.nr_instances = 1,
		.smt_share = DEFAULT_SMT_SHARE,
		.footprint_kb = DEFAULT_FOOTPRINT_KB,
	};
	parser->workload->nr_tasks++;
	if (!task->name)
		return -ENOMEM;
	parser->reader.task = name;
	r = read_object(&parser->reader, NULL, value) ?: parse_members(parser, task, value);
	r = r ?: check_task(parser, task);
	parser->reader.task = NULL;
	return r;
}

static int parse_tasks(struct parser *parser, struct json_object *root)
{
	struct workload *w = parser->workload;
	int r;

	if (!json_object_object_get_ex(root, "tasks", &parser->tasks))
		return reader_fail(&parser->reader, NULL,
				   "has no object \"tasks\"; see WORKLOADS.md");
	r = read_object(&parser->reader, "tasks", parser->tasks);
	if (r < 0)
		return r;
	if (!json_object_object_length(parser->tasks))
		return reader_fail(&parser->reader, "tasks", "has no task; add one");
	w->tasks = calloc((size_t)json_object_object_length(parser->tasks), sizeof(*w->tasks));
	if (!w->tasks)
		return -ENOMEM;
	json_object_object_foreach(parser->tasks, name, value) {
		r = parse_task(parser, &w->tasks[w->nr_tasks], name, value);
		if (r < 0)
			return r;
	}
	return check_resources(parser);
}

static int parse_duration(struct parser *parser, struct json_object *value)
{
	__s64 duration;
	int r = read_number(&parser->reader, "duration", value, -1, LONGEST_DURATION_S, &duration);

	if (r == 0 && duration > 0)
		parser->workload->duration_ns = (__u64)duration * NSEC_PER_SEC;
	return r;
}

/* The others say how rt-app measures and logs. */
static int parse_global(struct parser *parser, struct json_object *root)
{
	struct json_object *global, *member;
	int r = 0;

	if (!json_object_object_get_ex(root, "global", &global))
		return 0;
	r = read_object(&parser->reader, "global", global);
	if (r == 0 && json_object_object_get_ex(global, "duration", &member))
		r = parse_duration(parser, member);
	if (r == 0 && json_object_object_get_ex(global, "default_policy", &member))
		r = read_string(&parser->reader, "default_policy", member, &parser->default_policy);
	return r;
}

int workload_parse(struct workload *workload, const char *file, const char *text, char **ret_message)
{
	struct parser parser = {
		.reader = { .file = file, .ret_message = ret_message },
		.workload = workload,
		.default_policy = "SCHED_OTHER",
	};
	struct json_object *root = reader_parse(&parser.reader, text);
	int r;

	if (!root)
		return *ret_message ? -EINVAL : -ENOMEM;
	r = parse_global(&parser, root) ?: parse_tasks(&parser, root);
	json_object_put(root);
	return r;
}
