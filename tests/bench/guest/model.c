/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model OBJECT SHARE LOG COMMAND...: run COMMAND with the tracer in OBJECT at work. A worker beside
 * a busy sibling has the speed SHARE, of 1024. LOG gets the events, - is none. Ends with COMMAND's
 * status, 125 if there is no tracer.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/guest/model.h"
#include "tests/bench/guest/work.h"

enum {
	EXIT_NO_TRACER = 125,
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "model: %s: %s\n", what, strerror(errno));
	exit(EXIT_NO_TRACER);
}

static void *map_of(struct bpf_object *object, const char *name, int protection, size_t size)
{
	int fd = bpf_object__find_map_fd_by_name(object, name);
	void *memory = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		die(name);
	return memory;
}

/* Where each CPU is: which core, and which thread of it. */
static void read_topology(struct model *model)
{
	hwloc_topology_t topology;
	hwloc_obj_t pu = NULL;

	if (hwloc_topology_init(&topology) < 0 || hwloc_topology_load(topology) < 0)
		die("topology");
	while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);

		errno = E2BIG;
		if (!core || pu->os_index >= MODEL_CPUS || pu->sibling_rank >= MODEL_THREADS)
			die("it knows 64 CPUs with two threads a core");
		model->cores[pu->os_index] = (__u8)core->logical_index;
		model->threads[pu->os_index] = (__u8)pu->sibling_rank;
	}
	hwloc_topology_destroy(topology);
}

static struct bpf_object *load(const char *path)
{
	struct bpf_object *object = bpf_object__open(path);

	if (!object || bpf_object__load(object) < 0)
		die(path);
	return object;
}

static void attach(struct bpf_object *object)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
	{
		if (!bpf_program__attach(program))
			die(bpf_program__name(program));
	}
}

/* Workers find the model by this descriptor. */
static void hand_down(struct bpf_object *object)
{
	int fd = fcntl(bpf_object__find_map_fd_by_name(object, ".data.model"), F_DUPFD, 3);
	char text[16];

	if (fd < 0)
		die(WORK_MODEL_FD);
	snprintf(text, sizeof(text), "%d", fd);
	setenv(WORK_MODEL_FD, text, true);
}

static int run(char **command)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child == 0) {
		execvp(command[0], command);
		die(command[0]);
	}
	if (waitpid(child, &status, 0) < 0)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void write_credit(FILE *file, const struct model *model)
{
	for (int i = 1; i < MODEL_WORKERS; i++) {
		struct model_event credit = {
			.allowed = model->workers[i].done / MODEL_FULL,
			.kind = MODEL_CREDIT,
			.worker = (__u8)i,
		};

		if (credit.allowed)
			fwrite(&credit, sizeof(credit), 1, file);
	}
}

static void write_log(const char *path, struct bpf_object *object, const struct model *model)
{
	struct model_event *events =
		map_of(object, "events", PROT_READ, MODEL_EVENTS * sizeof(*events));
	FILE *file = fopen(path, "we");

	if (model->nr_events > model->max_events)
		fprintf(stderr, "model: %llu events did not fit in the log\n",
			model->nr_events - model->max_events);
	if (!file)
		die(path);
	fwrite(events, sizeof(*events),
	       model->nr_events < model->max_events ? model->nr_events : model->max_events, file);
	write_credit(file, model);
	if (fclose(file) != 0)
		die(path);
}

int main(int argc, char **argv)
{
	struct bpf_object *object;
	struct model *model;
	int share, status;
	bool logs;

	if (argc < 5 || (share = atoi(argv[2])) <= 0 || share > MODEL_FULL) {
		fputs("usage: model OBJECT SHARE LOG COMMAND...\n", stderr);
		return EXIT_NO_TRACER;
	}
	logs = strcmp(argv[3], "-") != 0;
	object = load(argv[1]);
	model = map_of(object, ".data.model", PROT_READ | PROT_WRITE, sizeof(*model));
	read_topology(model);
	model->share = (__u64)share;
	model->max_events = logs ? MODEL_EVENTS : 0;
	attach(object);
	hand_down(object);
	status = run(argv + 4);
	if (logs)
		write_log(argv[3], object, model);
	return status;
}
