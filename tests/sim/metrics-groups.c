/* SPDX-License-Identifier: GPL-2.0-only */

#include <stdlib.h>
#include <string.h>

#include "tests/sim/metrics-parts.h"

static int row_add(struct metrics *m, const char *name)
{
	struct metrics_row *rows = reallocarray(m->rows, m->nr_rows + 1, sizeof(*rows));

	if (!rows)
		return -1;
	m->rows = rows;
	memset(&rows[m->nr_rows], 0, sizeof(*rows));
	rows[m->nr_rows].name = strdup(name);
	if (!rows[m->nr_rows].name)
		return -1;
	return (int)m->nr_rows++;
}

static int row_of(struct metrics *m, const char *name)
{
	for (__u32 i = 0; i < m->nr_rows; i++)
		if (!strcmp(m->rows[i].name, name))
			return (int)i;
	return row_add(m, name);
}

struct metrics_task *metrics_task_of(struct metrics *m, struct sim_task *task)
{
	struct metrics_task *data = task_metrics_data(task);
	int row;

	if (data)
		return data;
	row = row_of(m, task_spec(task)->name);
	data = row < 0 ? NULL : calloc(1, sizeof(*data));
	if (!data)
		return NULL;
	data->task = task;
	data->group = (__u32)row;
	data->cpu = data->cpu_before = -1;
	data->wants_since_ns = ~0ULL;
	metrics_list_init(&data->waiting);
	m->rows[row].nr_tasks++;
	task_set_metrics_data(task, data);
	return data;
}

/* The length of a frame is the time between the ends of two. */
void metrics_groups_frame(struct metrics *m, struct metrics_task *task, __u64 late_ns)
{
	struct metrics_row *row = &m->rows[task->group];

	row->nr_frames++;
	row->nr_missed += late_ns > 0;
	if (task->framed_ns)
		histogram_add(&row->frames, m->now_ns - task->framed_ns);
	task->framed_ns = m->now_ns;
}

static double us_of(const struct histogram *h, __u32 parts_per_million)
{
	return (double)histogram_percentile(h, parts_per_million) / 1e3;
}

static struct metrics_group group_of(const struct metrics_row *row)
{
	return (struct metrics_group){
		.name = row->name,
		.nr_tasks = row->nr_tasks,
		.cpu_s = (double)row->exec_ns / 1e9,
		.wakeup_p50_us = us_of(&row->wakeups, 500000),
		.wakeup_p99_us = us_of(&row->wakeups, 990000),
		.wakeup_p999_us = us_of(&row->wakeups, 999000),
		.wakeup_max_us = (double)row->wakeups.max / 1e3,
		.nr_frames = (double)row->nr_frames,
		.missed_frames =
			row->nr_frames ? (double)row->nr_missed / (double)row->nr_frames : 0,
		.frame_p99_ms = us_of(&row->frames, 990000) / 1e3,
	};
}

unsigned metrics_groups(struct metrics *m, const struct metrics_group **ret)
{
	free(m->groups);
	m->groups = calloc(m->nr_rows + 1, sizeof(*m->groups));
	for (__u32 i = 0; m->groups && i < m->nr_rows; i++)
		m->groups[i] = group_of(&m->rows[i]);
	*ret = m->groups;
	return m->groups ? m->nr_rows : 0;
}

void metrics_groups_free(struct metrics *m)
{
	for (__u32 i = 0; i < m->nr_rows; i++)
		free(m->rows[i].name);
	free(m->rows);
	free(m->groups);
}
