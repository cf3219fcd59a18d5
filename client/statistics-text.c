/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters as tables, one for each kind of decision: the part of the name before the first '_'. */
#include <stdio.h>
#include <string.h>

#include "client/exit-status.h"
#include "client/print.h"
#include "client/statistics-view.h"
#include "client/text.h"

static const struct group {
	const char *prefix; /* "" takes what the others leave */
	const char *title;
} groups[] = {
	{ "place_", "Where tasks that became runnable went" },
	{ "donate_", "How donations ended" },
	{ "dispatch_", "Where CPUs that asked for work found it" },
	{ "", "Other" },
};

#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

static bool is_in_group(const struct group *group, const char *name)
{
	for (const struct group *g = groups; g < group; g++)
		if (!strncmp(name, g->prefix, strlen(g->prefix)))
			return false;
	return !strncmp(name, group->prefix, strlen(group->prefix));
}

double statistics_rate(const struct statistics_view *view, size_t set, const struct counter *counter)
{
	const struct snapshot *before = view->before;
	uint64_t old;

	if (!before || set >= before->nr_sets || view->now.monotonic_usec <= before->monotonic_usec)
		return 0;
	old = counters_value(&before->sets[set], counter->name);
	if (old > counter->value)
		return 0;
	return (double)(counter->value - old) * 1e6 /
	       (double)(view->now.monotonic_usec - before->monotonic_usec);
}

static void add_rate(struct table *table, const struct statistics_view *view, size_t set,
		     const struct counter *counter)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", statistics_rate(view, set, counter));
	table_add_text(table, text);
}

static void add_sum_row(struct table *table, const struct statistics_view *view,
			const struct counter *counter)
{
	table_add_row(table);
	table_add_text(table, counter->name);
	table_add_number(table, counter->value);
	if (view->before)
		add_rate(table, view, 0, counter);
	table_add_text(table, descriptions_text(&view->descriptions, counter->name));
}

static void add_cpu_row(struct table *table, const struct statistics_view *view, size_t index)
{
	const struct counter *counter;

	table_add_row(table);
	table_add_text(table, view->now.sets[0].list[index].name);
	for (size_t cpu = 0; cpu < view->now.nr_sets; cpu++) {
		if (index >= view->now.sets[cpu].nr) {
			table_add_text(table, "");
			continue;
		}
		counter = &view->now.sets[cpu].list[index];
		if (view->before)
			add_rate(table, view, cpu, counter);
		else
			table_add_number(table, counter->value);
	}
}

static struct table *new_sum_table(const struct options *options, const struct statistics_view *view)
{
	static const struct column name = { "COUNTER", false }, total = { "TOTAL", true },
				   rate = { "PER-SECOND", true }, text = { "MEANING", false };
	struct table *table = table_new(options);

	table_add_column(table, &name);
	table_add_column(table, &total);
	if (view->before)
		table_add_column(table, &rate);
	table_add_column(table, &text);
	return table;
}

static struct table *new_cpu_table(const struct options *options, const struct statistics_view *view)
{
	static const struct column first = { "COUNTER", false };
	struct table *table = table_new(options);
	struct column column = { NULL, true };
	char name[24];

	table_add_column(table, &first);
	for (size_t cpu = 0; cpu < view->now.nr_sets; cpu++) {
		snprintf(name, sizeof(name), "CPU%zu", cpu);
		column.name = name;
		table_add_column(table, &column);
	}
	return table;
}

static int print_group(const struct options *options, const struct statistics_view *view,
		       const struct group *group, bool per_cpu, bool *is_first)
{
	const struct counters *counters = &view->now.sets[0];
	struct table *table;
	size_t nr = 0;

	for (size_t i = 0; i < counters->nr; i++)
		nr += is_in_group(group, counters->list[i].name);
	if (!nr)
		return STATUS_OK;
	if (!options->no_legend)
		printf("%s%s%s%s\n", *is_first ? "" : "\n", colour_on(COLOUR_BOLD), group->title,
		       colour_off());
	*is_first = false;
	table = per_cpu ? new_cpu_table(options, view) : new_sum_table(options, view);
	for (size_t i = 0; i < counters->nr; i++) {
		if (!is_in_group(group, counters->list[i].name))
			continue;
		if (per_cpu)
			add_cpu_row(table, view, i);
		else
			add_sum_row(table, view, &counters->list[i]);
	}
	return table_print(table);
}

static int print_groups(const struct options *options, const struct statistics_view *view,
			bool per_cpu)
{
	bool is_first = true;
	int r = STATUS_OK;

	if (!view->now.nr_sets)
		return STATUS_OK;
	for (size_t i = 0; i < NR_GROUPS && r == STATUS_OK; i++)
		r = print_group(options, view, &groups[i], per_cpu, &is_first);
	return r;
}

int statistics_print_sums(const struct options *options, const struct statistics_view *view)
{
	return print_groups(options, view, false);
}

int statistics_print_per_cpu(const struct options *options, const struct statistics_view *view)
{
	return print_groups(options, view, true);
}
