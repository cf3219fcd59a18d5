/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "service/cleanup.h"
#include "tests/sim/trace.h"

struct slice {
	const struct sim_task *task; /* that runs since then, or NULL */
	__u64 since_ns;
};

struct trace {
	FILE *file;
	struct sim *sim; /* of the run */
	int nr_runs; /* the run's number is its process id */
	bool is_first; /* the next event */
	struct slice slices[DONOR_MAX_CPUS];
};

static void write_event(struct trace *trace, struct json_object *event)
{
	const char *text = json_object_to_json_string_ext(event, JSON_C_TO_STRING_NOSLASHESCAPE);

	fprintf(trace->file, "%s%s", trace->is_first ? "" : ",\n", text ?: "{}");
	trace->is_first = false;
	json_object_put(event);
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_int(struct json_object *object, const char *key, __s64 number)
{
	json_object_object_add(object, key, json_object_new_int64(number));
}

/* The format counts in microseconds. */
static void add_time(struct json_object *object, const char *key, __u64 ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu.%03llu", ns / 1000, ns % 1000);
	json_object_object_add(object, key, json_object_new_double_s((double)ns / 1000, text));
}

static struct json_object *event_new(const struct trace *trace, const char *kind, const char *name,
				     __s32 cpu)
{
	struct json_object *event = json_object_new_object();

	add_text(event, "ph", kind);
	add_text(event, "name", name);
	add_int(event, "pid", trace->nr_runs);
	add_int(event, "tid", cpu);
	return event;
}

static void name_thing(struct trace *trace, const char *kind, __s32 cpu, const char *name)
{
	struct json_object *event = event_new(trace, "M", kind, cpu);
	struct json_object *arguments = json_object_new_object();

	add_text(arguments, "name", name);
	json_object_object_add(event, "args", arguments);
	write_event(trace, event);
}

static void end_slice(struct trace *trace, __s32 cpu)
{
	struct slice *slice = &trace->slices[cpu];
	struct json_object *event, *arguments;

	if (!slice->task)
		return;
	event = event_new(trace, "X", task_spec(slice->task)->name, cpu);
	arguments = json_object_new_object();
	add_int(arguments, "pid", task_view(slice->task)->pid);
	json_object_object_add(event, "args", arguments);
	add_time(event, "ts", slice->since_ns);
	add_time(event, "dur", sim_now_ns(trace->sim) - slice->since_ns);
	write_event(trace, event);
	slice->task = NULL;
}

static void begin_slice(struct trace *trace, const struct sim_event *event)
{
	end_slice(trace, event->cpu);
	trace->slices[event->cpu].task = event->task;
	trace->slices[event->cpu].since_ns = sim_now_ns(trace->sim);
}

static void mark(struct trace *trace, const struct sim_event *event, const char *name)
{
	struct json_object *json = event_new(trace, "i", name, event->cpu);
	struct json_object *arguments = json_object_new_object();

	add_text(json, "s", "t");
	add_time(json, "ts", sim_now_ns(trace->sim));
	if (event->task)
		add_text(arguments, "task", task_spec(event->task)->name);
	if (event->kind == EVENT_DONATE)
		add_int(arguments, "from_cpu", event->from_cpu);
	if (event->kind == EVENT_FRAME)
		add_int(arguments, "late_ns", (__s64)event->late_ns);
	json_object_object_add(json, "args", arguments);
	write_event(trace, json);
}

static void see(struct sim *sim, const struct sim_event *event, void *data)
{
	struct trace *trace = data;

	if (trace->sim != sim)
		return;
	if (event->kind == EVENT_RUN)
		begin_slice(trace, event);
	else if (event->kind == EVENT_STOP)
		end_slice(trace, event->cpu);
	else if (event->kind == EVENT_DONATE)
		mark(trace, event, "donation");
	else if (event->kind == EVENT_KICK)
		mark(trace, event, "kick");
	else if (event->kind == EVENT_FRAME && event->late_ns)
		mark(trace, event, "missed frame");
}

int trace_open(const char *path, struct trace **ret)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return -ENOMEM;
	trace->file = fopen(path, "we");
	if (!trace->file) {
		free(trace);
		return -errno;
	}
	trace->is_first = true;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", trace->file);
	*ret = trace;
	return 0;
}

int trace_begin(struct trace *trace, struct sim *sim)
{
	const struct donor_topology *t = sim_topology(sim);
	char name[32];

	trace->nr_runs++;
	trace->sim = sim;
	name_thing(trace, "process_name", 0, sim_get_options(sim)->policy->name);
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++) {
		if (t->cpus[cpu].domain == DONOR_NONE)
			continue;
		snprintf(name, sizeof(name), "CPU %u", cpu);
		name_thing(trace, "thread_name", (__s32)cpu, name);
	}
	sim_observe(sim, see, trace);
	return 0;
}

void trace_end(struct trace *trace)
{
	if (!trace->sim)
		return;
	for (__s32 cpu = 0; cpu < DONOR_MAX_CPUS; cpu++)
		end_slice(trace, cpu);
	trace->sim = NULL;
}

int trace_close(struct trace *trace)
{
	bool failed;

	if (!trace)
		return 0;
	fputs("\n]}\n", trace->file);
	failed = ferror(trace->file);
	failed = fclose(trace->file) || failed;
	free(trace);
	return failed ? -EIO : 0;
}
