/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding, reading and starting a workload. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/cleanup.h"
#include "tests/sim/script.h"

#ifndef DONOR_WORKLOADS
#define DONOR_WORKLOADS "/usr/share/donor/workloads"
#endif

enum {
	LARGEST_FILE = 16 << 20,
};

static const char *const names[] = {
#define WORKLOAD(name, help) name,
#include "tests/sim/workloads.def"
#undef WORKLOAD
	NULL,
};

const char *const *workload_names(void)
{
	return names;
}

static bool is_shipped(const char *what)
{
	for (unsigned i = 0; names[i]; i++)
		if (strcmp(names[i], what) == 0)
			return true;
	return false;
}

static int probe(const char *folder, const char *name, char *path, size_t size)
{
	int n = snprintf(path, size, "%s/%s.json", folder, name);

	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return access(path, R_OK) < 0 ? -errno : 0;
}

/* Beside the binary in the build tree, else where they were installed. */
static int find_shipped(const char *name, char *path, size_t size)
{
	char beside[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", beside, sizeof(beside) - sizeof("workloads"));

	if (length > 0) {
		beside[length] = '\0';
		strcpy(strrchr(beside, '/') + 1, "workloads");
		if (probe(beside, name, path, size) == 0)
			return 0;
	}
	return probe(DONOR_WORKLOADS, name, path, size);
}

static int fail(int error, char **ret_message, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int fail(int error, char **ret_message, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(ret_message, format, arguments) < 0) {
		*ret_message = NULL;
		error = -ENOMEM;
	}
	va_end(arguments);
	return error;
}

static int complain_name(const char *what, char **ret_message)
{
	char list[512] = "";

	for (unsigned i = 0; names[i]; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 names[i]);
	return fail(-ENOENT, ret_message, "there is no workload '%s'; name a file or one of %s",
		    what, list);
}

static int find_file(const char *what, char *path, size_t size, char **ret_message)
{
	int r;

	if (!is_shipped(what)) {
		snprintf(path, size, "%s", what);
		return access(path, F_OK) == 0 ? 0 : complain_name(what, ret_message);
	}
	r = find_shipped(what, path, size);
	if (r < 0)
		return fail(r, ret_message,
			    "workload '%s' is not installed: %s: %s; install donor "
			    "anew or name a file",
			    what, path, strerror(-r));
	return 0;
}

static int read_file(const char *path, char **ret_text, char **ret_message)
{
	_cleanup_(fclosep) FILE *f = fopen(path, "re");
	_cleanup_(freep) char *text = malloc(LARGEST_FILE);
	size_t length;

	if (!text)
		return -ENOMEM;
	length = f ? fread(text, 1, LARGEST_FILE - 1, f) : 0;
	if (!f || ferror(f))
		return fail(-errno, ret_message, "%s: cannot be read: %m; name another file", path);
	text[length] = '\0';
	if (length == LARGEST_FILE - 1 || strlen(text) != length)
		return fail(-EINVAL, ret_message, "%s: is no workload; name another file", path);
	*ret_text = steal_pointer(text);
	return 0;
}

DEFINE_CLEANUP(struct workload *, workload_free);

static int load(const char *what, struct workload **ret, char **ret_message)
{
	_cleanup_(workload_freep) struct workload *workload =
		calloc(1, sizeof(*workload));
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX];
	int r;

	if (!workload)
		return -ENOMEM;
	workload->name = strdup(what);
	if (!workload->name)
		return -ENOMEM;
	r = find_file(what, path, sizeof(path), ret_message);
	r = r ?: read_file(path, &text, ret_message);
	r = r ?: workload_parse(workload, path, text, ret_message);
	if (r < 0)
		return r;
	*ret = steal_pointer(workload);
	return 0;
}

int workload_load(const char *what, struct workload **ret, char **ret_message)
{
	int r;

	*ret_message = NULL;
	r = load(what, ret, ret_message);
	if (r < 0 && !*ret_message)
		return fail(r, ret_message,
			    "workload '%s' cannot be read: %s; close something and try again", what,
			    strerror(-r));
	return r;
}

struct workload *workload_free(struct workload *workload)
{
	if (!workload)
		return NULL;
	for (__u32 i = 0; i < workload->nr_tasks; i++) {
		for (__u32 j = 0; j < workload->tasks[i].nr_phases; j++)
			free(workload->tasks[i].phases[j].events);
		free(workload->tasks[i].phases);
		free(workload->tasks[i].name);
	}
	for (__u32 i = 0; i < workload->nr_resources; i++)
		free(workload->resources[i].name);
	free(workload->resources);
	free(workload->tasks);
	free(workload->name);
	free(workload);
	return NULL;
}

__u64 workload_duration_ns(const struct workload *workload)
{
	return workload->duration_ns;
}

static bool takes(const struct script_phase *phase)
{
	for (__u32 i = 0; i < phase->nr_events; i++)
		if (phase->events[i].operation == OPERATION_TAKE)
			return true;
	return false;
}

bool script_task_ends(const struct script_task *task)
{
	bool ends = task->loop != LOOP_ENDLESS;

	for (__u32 i = 0; i < task->nr_phases; i++) {
		if (takes(&task->phases[i]))
			return true;
		ends = ends && task->phases[i].loop != LOOP_ENDLESS;
	}
	return ends;
}

bool workload_ends(const struct workload *workload)
{
	for (__u32 i = 0; i < workload->nr_tasks; i++) {
		const struct script_task *task = &workload->tasks[i];

		if ((task->nr_instances || task->instances_per_cpu > 0) && script_task_ends(task))
			return true;
	}
	return false;
}

int workload_start(const struct workload *workload, struct sim *sim, __u32 scale, bool background)
{
	return script_start(workload, sim, scale, background);
}
