/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters for scripts: one object for each picture. */
#include <stdio.h>

#include "client/print.h"
#include "client/statistics-view.h"

static struct json_object *totals(const struct counters *counters)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < counters->nr; i++)
		json_add_number(object, counters->list[i].name, counters->list[i].value);
	return object;
}

static struct json_object *rates(const struct statistics_view *view, size_t set)
{
	const struct counters *counters = &view->now.sets[set];
	struct json_object *object = json_object_new_object();
	char text[32];
	double rate;

	for (size_t i = 0; i < counters->nr; i++) {
		rate = statistics_rate(view, set, &counters->list[i]);
		snprintf(text, sizeof(text), "%.1f", rate); /* not seventeen digits */
		json_object_object_add(object, counters->list[i].name,
				       json_object_new_double_s(rate, text));
	}
	return object;
}

static void add_set(struct json_object *object, const struct statistics_view *view, size_t set)
{
	json_object_object_add(object, "counters", totals(&view->now.sets[set]));
	if (view->before)
		json_object_object_add(object, "rates", rates(view, set));
}

int statistics_print_json(const struct options *options, const struct statistics_view *view)
{
	struct json_object *object = json_object_new_object(), *list, *item;

	json_add_number(object, "monotonic_usec", view->now.monotonic_usec);
	if (!(options->given & OPTION_CPU)) {
		add_set(object, view, 0);
		return json_print(options, object);
	}
	list = json_object_new_array();
	for (size_t cpu = 0; cpu < view->now.nr_sets; cpu++) {
		item = json_object_new_object();
		json_add_number(item, "cpu", cpu);
		add_set(item, view, cpu);
		json_object_array_add(list, item);
	}
	json_object_object_add(object, "cpus", list);
	return json_print(options, object);
}
