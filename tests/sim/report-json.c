/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures as JSON. donor-sim(1) promises the keys. */

#include "client/print.h"
#include "tests/sim/figures.h"

/* Nine digits are more than the model knows, and the same on every machine. */
static void add_double(struct json_object *object, const char *key, double value)
{
	struct json_object *number = json_object_new_double(value);

	json_object_set_serializer(number, json_object_double_to_json_string, (void *)"%.9g", NULL);
	json_object_object_add(object, key, number);
}

static void add_figure(const struct experiment *experiment, unsigned policy, unsigned index,
		       struct json_object *object, struct json_object *least,
		       struct json_object *most)
{
	const char *name = figure_name(index);
	struct figure figure;

	if (figure_of_policy(experiment, policy, index, &figure)) {
		add_double(object, name, figure.median);
		add_double(least, name, figure.least);
		add_double(most, name, figure.most);
	} else {
		json_object_object_add(object, name, NULL);
	}
}

static struct json_object *group_json(const struct experiment *experiment, unsigned policy,
				      const struct metrics_group *group)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "nr_tasks", group->nr_tasks);
	for (unsigned i = 0; i < nr_group_figures; i++)
		add_double(object, group_figure_name(i),
			   figure_of_group(experiment, policy, group->name, i).median);
	return object;
}

static struct json_object *groups_json(const struct experiment *experiment, unsigned policy)
{
	const struct run *run = experiment_runs(experiment, policy);
	struct json_object *groups = json_object_new_object();

	for (unsigned i = 0; i < run->nr_groups; i++)
		json_object_object_add(groups, run->groups[i].name,
				       group_json(experiment, policy, &run->groups[i]));
	return groups;
}

static struct json_object *policy_json(const struct experiment *experiment, unsigned policy)
{
	struct json_object *object = json_object_new_object();
	struct json_object *least, *most;

	if (experiment_failure(experiment, policy)) {
		json_add_text(object, "failed", experiment_failure(experiment, policy));
		return object;
	}
	least = json_object_new_object();
	most = json_object_new_object();
	for (unsigned i = 0; i < nr_figures; i++)
		add_figure(experiment, policy, i, object, least, most);
	json_object_object_add(object, "min", least);
	json_object_object_add(object, "max", most);
	json_object_object_add(object, "groups", groups_json(experiment, policy));
	return object;
}

static struct json_object *names_json(const struct name_list *list)
{
	struct json_object *names = json_object_new_array();

	for (unsigned i = 0; i < list->nr; i++)
		json_object_array_add(names, json_object_new_string(list->names[i]));
	return names;
}

int report_json(const struct experiment *experiment)
{
	const struct cli *cli = experiment->cli;
	struct json_object *root = json_object_new_object();
	struct json_object *policies_json = json_object_new_object();

	json_add_text(root, "machine", cli->machine);
	json_object_object_add(root, "workloads", names_json(&cli->workloads));
	json_object_object_add(root, "backgrounds", names_json(&cli->backgrounds));
	json_add_number(root, "first_seed", cli->first_seed);
	json_add_number(root, "nr_seeds", cli->nr_seeds);
	json_add_number(root, "scale", cli->scale);
	json_add_number(root, "hz", cli->hz);
	for (unsigned i = 0; i < cli->nr_policies; i++)
		json_object_object_add(policies_json, cli->policies[i]->name,
				       policy_json(experiment, i));
	json_object_object_add(root, "policies", policies_json);
	return json_print(&cli->print, root);
}
