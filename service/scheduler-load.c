/* SPDX-License-Identifier: GPL-2.0-only */

/* The BPF object: carried along, fitted to the machine, loaded. */

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "service/scheduler-btf.h"
#include "service/scheduler-private.h"

/* The BPF object, as the build made it. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"donor_object: .incbin \"" DONOR_BPF_OBJECT "\"\n"
	"donor_object_end:\n"
	".popsection\n");
extern const char donor_object[], donor_object_end[];

const char scheduler_build[] = DONOR_BPF_BUILD;

/* libbpf says on its log why a load failed; the last attempt's log is kept for the error. */
static FILE *load_log;

static int on_libbpf_print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG || !load_log)
		return 0;
	return vfprintf(load_log, format, args);
}

/* Where a member of the ops table lies in its image that goes to the kernel. */
static void *ops_member(struct bpf_object *object, const char *name)
{
	const struct btf *btf = bpf_object__btf(object);
	const struct bpf_map *map = bpf_object__find_map_by_name(object, "donor");
	const struct btf_type *type;
	char *image;
	size_t size;

	image = map ? bpf_map__initial_value(map, &size) : NULL;
	type = btf__type_by_id(btf, (__u32)btf__find_by_name_kind(btf, "sched_ext_ops",
								  BTF_KIND_STRUCT));
	if (!image || !type)
		return NULL;
	for (unsigned i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *m = btf_members(type) + i;

		if (strcmp(btf__name_by_offset(btf, m->name_off), name) == 0)
			return image + m->offset / 8;
	}
	return NULL;
}

static void set_elements(struct bpf_object *object, const char *name, unsigned nr)
{
	bpf_map__set_max_entries(bpf_object__find_map_by_name(object, name), nr);
}

/* A change of CPUs after the machine was looked at then ends in an exit that asks for a restart. */
static int open_object(const struct donor_topology *topology, struct bpf_object **ret)
{
	struct bpf_object *object =
		bpf_object__open_mem(donor_object, (size_t)(donor_object_end - donor_object), NULL);
	__u64 *hotplug_seq;

	if (!object)
		return -errno;
	*ret = object;
	hotplug_seq = ops_member(object, "hotplug_seq");
	if (!hotplug_seq)
		return -EBADMSG;
	*hotplug_seq = topology->hotplug_seq;
	set_elements(object, "counters", topology->nr_cpus);
	set_elements(object, "cpu_topology", topology->nr_cpus);
	return 0;
}

/* The line of the verifier's log that names the fault: the last before its statistics. */
static int refused(const char *log, struct scheduler_error *ret_error)
{
	const char *end = strstr(log, "processed "), *line = log;

	end = end ?: log + strlen(log);
	for (const char *p = log; p < end; p++)
		if (*p == '\n' && p + 1 < end && p[1] != '\n')
			line = p + 1;
	return scheduler_fail(ret_error, -EBADMSG,
			      "The kernel's verifier refused the scheduler: %.*s",
			      (int)strcspn(line, "\n"), line);
}

/* Why the load failed; the whole log goes to stderr, and so to the journal. */
static int explain_load(int r, const char *log, struct scheduler_error *ret_error)
{
	char names[160];
	unsigned nr;

	if (r == -EPERM)
		return scheduler_fail(
			ret_error, r,
			"Not privileged to load a scheduler; start donord as root or with CAP_BPF and CAP_PERFMON.");
	fputs(log, stderr);
	nr = strstr(log, "incompatible with vmlinux")
		     ? btf_malformed_functions(names, sizeof(names))
		     : 0;
	if (nr > 0)
		return scheduler_fail(
			ret_error, -EBADF,
			"This kernel's BTF is malformed (it was built with an old pahole): %u functions of sched_ext cannot be called, among them %s; boot another kernel.",
			nr, names);
	return refused(log, ret_error);
}

static int load_object(const struct donor_topology *topology, struct bpf_object **ret,
		       struct scheduler_error *ret_error)
{
	_cleanup_(freep) char *log = NULL;
	size_t log_bytes = 0;
	int r;

	load_log = open_memstream(&log, &log_bytes);
	if (!load_log)
		return -errno;
	libbpf_set_print(on_libbpf_print);
	r = open_object(topology, ret);
	if (r >= 0)
		r = bpf_object__load(*ret);
	fclose(load_log);
	load_log = NULL;
	return r < 0 ? explain_load(r, log, ret_error) : 0;
}

int scheduler_load(const struct donor_topology *topology, struct scheduler **ret,
		   struct scheduler_error *ret_error)
{
	_cleanup_(scheduler_freep) struct scheduler *scheduler = NULL;
	int r;

	ret_error->text[0] = '\0';
	scheduler = scheduler_alloc();
	if (!scheduler)
		return -ENOMEM;
	r = load_object(topology, &scheduler->object, ret_error);
	if (r < 0)
		return r;
	r = scheduler_open_maps(scheduler);
	if (r < 0)
		return r;
	scheduler->topology = *topology;
	*ret = steal_pointer(scheduler);
	return 0;
}
