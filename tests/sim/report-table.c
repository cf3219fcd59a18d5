/* SPDX-License-Identifier: GPL-2.0-only */
/* A table with a column for each policy, and one of the groups of tasks. */

#include <math.h>
#include <stdio.h>

#include "client/print.h"
#include "tests/sim/figures.h"

static void add_value(struct table *table, double value)
{
	int decimals = fabs(value) >= 1000 ? 0 : fabs(value) >= 10 ? 2 : 4;
	char text[40];

	snprintf(text, sizeof(text), "%.*f", value == 0 ? 0 : decimals, value);
	table_add_text(table, text);
}

static void add_row(struct table *table, const struct experiment *experiment, unsigned index)
{
	struct figure figure;
	const char *unit = figure_unit(index);
	char name[64];

	/* Names of times end in their unit. */
	snprintf(name, sizeof(name), "%s%s%s", figure_name(index), *unit == '1' ? " " : "",
		 *unit == '1' ? unit : "");
	table_add_row(table);
	table_add_text(table, name);
	for (unsigned i = 0; i < experiment->cli->nr_policies; i++) {
		if (experiment_failure(experiment, i))
			continue;
		if (figure_of_policy(experiment, i, index, &figure))
			add_value(table, figure.median);
		else
			table_add_text(table, "-");
	}
}

static int print_figures(const struct experiment *experiment)
{
	const struct cli *cli = experiment->cli;
	struct table *table = table_new(&cli->print);

	table_add_column(table, &(struct column){ .name = "FIGURE" });
	for (unsigned i = 0; i < cli->nr_policies; i++)
		if (!experiment_failure(experiment, i))
			table_add_column(table, &(struct column){ .name = cli->policies[i]->name,
								  .is_number = true });
	add_row(table, experiment, 0);
	add_row(table, experiment, nr_figures - 1); /* over_pinned explains the makespan */
	for (unsigned i = 1; i < nr_figures - 1; i++)
		add_row(table, experiment, i);
	return table_print(table);
}

static void add_group(struct table *table, const struct experiment *experiment, unsigned policy,
		      const struct metrics_group *group)
{
	table_add_row(table);
	table_add_text(table, group->name);
	table_add_text(table, experiment->cli->policies[policy]->name);
	table_add_number(table, group->nr_tasks);
	for (unsigned i = 0; i < nr_group_figures; i++)
		add_value(table, figure_of_group(experiment, policy, group->name, i).median);
}

static int print_groups(const struct experiment *experiment)
{
	static const struct column first[] = { { "TASK" }, { "POLICY" }, { "NUMBER", true } };
	const struct cli *cli = experiment->cli;
	struct table *table = table_new(&cli->print);

	table_add_columns(table, first, sizeof(first) / sizeof(first[0]));
	for (unsigned i = 0; i < nr_group_figures; i++)
		table_add_column(table, &(struct column){ .name = group_figure_name(i),
							  .is_number = true });
	for (unsigned i = 0; i < cli->nr_policies; i++) {
		const struct run *run = experiment_runs(experiment, i);

		for (unsigned j = 0; !experiment_failure(experiment, i) && j < run->nr_groups; j++)
			add_group(table, experiment, i, &run->groups[j]);
	}
	return table_print(table);
}

static bool all_failed(const struct experiment *experiment)
{
	for (unsigned i = 0; i < experiment->cli->nr_policies; i++)
		if (!experiment_failure(experiment, i))
			return false;
	return true;
}

/* Of policies that failed all has been said. */
int report_table(const struct experiment *experiment)
{
	int status;

	if (all_failed(experiment))
		return 0;
	status = print_figures(experiment);

	putchar('\n');
	return status ?: print_groups(experiment);
}
