/* SPDX-License-Identifier: GPL-2.0-only */

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "service/kernel.h"
#include "service/scheduler-btf.h"
#include "service/scheduler.h"

/* The BPF object, as the build made it. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"donor_object: .incbin \"" DONOR_BPF_OBJECT "\"\n"
	"donor_object_end:\n"
	".popsection\n");
extern const char donor_object[], donor_object_end[];

enum {
	SETTLE_TRIES = 500, /* for the kernel to say what it did */
	SETTLE_INTERVAL_NS = 10 * 1000 * 1000,
	GRACE_FALLBACK_NS = 50 * 1000 * 1000, /* longer than any callback runs */
};

/* A shared map, mapped. */
struct view {
	void *address;
	size_t bytes;
};

struct scheduler {
	struct bpf_object *object;
	struct bpf_link *link;
	struct donor_topology topology;
	struct view params, machine, cpu_topology, domain_topology, domains, counters, exit_record;
};

static void sleep_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* The errno that says what happened, with a sentence for a person. */
__attribute__((format(printf, 3, 4))) static int fail(struct scheduler_error *ret_error, int r,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ret_error->text, sizeof(ret_error->text), format, args);
	va_end(args);
	return r;
}

/* libbpf says on its log why a load failed; the last attempt's log is kept for the error. */
static FILE *load_log;

static int on_libbpf_print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG || !load_log)
		return 0;
	return vfprintf(load_log, format, args);
}

static bool runs_us(void)
{
	struct kernel_state kernel;

	kernel_read(&kernel);
	return kernel.enabled && strcmp(kernel.ops, "donor") == 0;
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

static int map_view(struct bpf_object *object, const char *name, struct view *ret)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *address;
	size_t bytes;

	if (!map)
		return -ENOENT;
	bytes = ((size_t)bpf_map__value_size(map) * bpf_map__max_entries(map) + page - 1) &
		~(page - 1);
	address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (address == MAP_FAILED)
		return -errno;
	*ret = (struct view){ address, bytes };
	return 0;
}

static void unmap_view(struct view *view)
{
	if (view->address)
		munmap(view->address, view->bytes);
}

static int map_views(struct scheduler *scheduler)
{
	const struct {
		const char *name;
		struct view *view;
	} views[] = {
		{ ".bss.params", &scheduler->params },
		{ "machine", &scheduler->machine },
		{ "cpu_topology", &scheduler->cpu_topology },
		{ ".bss.topology", &scheduler->domain_topology },
		{ ".bss.domains", &scheduler->domains },
		{ "counters", &scheduler->counters },
		{ "exit_record", &scheduler->exit_record },
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		int r = map_view(scheduler->object, views[i].name, views[i].view);

		if (r < 0)
			return r;
	}
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
	return fail(ret_error, -EBADMSG, "The kernel's verifier refused the scheduler: %.*s",
		    (int)strcspn(line, "\n"), line);
}

/* Why the load failed; the whole log goes to stderr, and so to the journal. */
static int explain_load(int r, const char *log, struct scheduler_error *ret_error)
{
	char names[160];
	unsigned nr;

	if (r == -EPERM)
		return fail(
			ret_error, r,
			"Not privileged to load a scheduler; start donord as root or with CAP_BPF and CAP_PERFMON.");
	fputs(log, stderr);
	nr = strstr(log, "incompatible with vmlinux")
		     ? btf_malformed_functions(names, sizeof(names))
		     : 0;
	if (nr > 0)
		return fail(
			ret_error, -EBADF,
			"This kernel's BTF is malformed (it was built with an old pahole): %u functions of sched_ext cannot be called, among them %s; boot another kernel.",
			nr, names);
	return refused(log, ret_error);
}

static int load(struct scheduler *scheduler, const struct donor_topology *topology,
		struct scheduler_error *ret_error)
{
	_cleanup_(freep) char *log = NULL;
	size_t log_bytes = 0;
	int r;

	load_log = open_memstream(&log, &log_bytes);
	if (!load_log)
		return -errno;
	libbpf_set_print(on_libbpf_print);
	r = open_object(topology, &scheduler->object);
	if (r >= 0)
		r = bpf_object__load(scheduler->object);
	fclose(load_log);
	load_log = NULL;
	return r < 0 ? explain_load(r, log, ret_error) : 0;
}

/* A link is not a running scheduler: ops.init may have failed since. */
static int wait_until_running(struct scheduler *scheduler, struct scheduler_error *ret_error)
{
	const struct donor_exit *exit_record = scheduler_exit(scheduler);

	for (int i = 0; i < SETTLE_TRIES && !exit_record->kind; i++) {
		if (runs_us())
			return 0;
		sleep_ns(SETTLE_INTERVAL_NS);
	}
	return fail(ret_error, -EIO, "The kernel gave the scheduler up at once: %s",
		    exit_record->kind ? exit_record->message : "it does not say why.");
}

static int attach(struct scheduler *scheduler, struct scheduler_error *ret_error)
{
	scheduler->link = bpf_map__attach_struct_ops(
		bpf_object__find_map_by_name(scheduler->object, "donor"));
	if (!scheduler->link)
		return fail(ret_error, -errno, "The kernel did not take the scheduler: %m. %s",
			    scheduler_exit(scheduler)->message);
	return wait_until_running(scheduler, ret_error);
}

static void describe_machine(struct scheduler *scheduler, const struct donor_topology *t)
{
	struct donor_machine *machine = scheduler->machine.address;

	scheduler->topology = *t;
	*machine = (struct donor_machine){
		.abi_version = DONOR_ABI_VERSION,
		.nr_cpus = t->nr_cpus,
		.nr_domains = t->nr_domains,
	};
	memcpy(scheduler->cpu_topology.address, t->cpus, t->nr_cpus * sizeof(t->cpus[0]));
	memcpy(scheduler->domain_topology.address, t->domains,
	       t->nr_domains * sizeof(t->domains[0]));
}

static void write_first_params(struct donor_params_block *block, const struct donor_params *params)
{
	block->slots[0] = *params;
	block->slots[0].generation = 1;
}

int scheduler_attach(const struct donor_topology *topology, const struct donor_params *params,
		     struct scheduler **ret, struct scheduler_error *ret_error)
{
	_cleanup_(scheduler_freep) struct scheduler *scheduler = NULL;
	int r;

	ret_error->text[0] = '\0';
	scheduler = calloc(1, sizeof(*scheduler));
	if (!scheduler)
		return -ENOMEM;
	r = load(scheduler, topology, ret_error);
	if (r < 0)
		return r;
	r = map_views(scheduler);
	if (r < 0)
		return r;
	describe_machine(scheduler, topology);
	write_first_params(scheduler->params.address, params);
	r = attach(scheduler, ret_error);
	if (r < 0)
		return r;
	*ret = steal_pointer(scheduler);
	return 0;
}

struct scheduler *scheduler_free(struct scheduler *scheduler)
{
	if (!scheduler)
		return NULL;
	bpf_link__destroy(scheduler->link);
	for (int i = 0; scheduler->link && i < SETTLE_TRIES && runs_us(); i++)
		sleep_ns(SETTLE_INTERVAL_NS);
	unmap_view(&scheduler->params);
	unmap_view(&scheduler->machine);
	unmap_view(&scheduler->cpu_topology);
	unmap_view(&scheduler->domain_topology);
	unmap_view(&scheduler->domains);
	unmap_view(&scheduler->counters);
	unmap_view(&scheduler->exit_record);
	bpf_object__close(scheduler->object);
	free(scheduler);
	return NULL;
}

bool scheduler_is_attached(const struct scheduler *scheduler)
{
	return !__atomic_load_n(&scheduler_exit(scheduler)->kind, __ATOMIC_ACQUIRE) && runs_us();
}

/*
 * Callbacks read their parameters inside RCU: one grace period, and none works with the old set.
 * A kernel with full dynticks has no such call; there time does it.
 */
static void wait_for_readers(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		sleep_ns(GRACE_FALLBACK_NS);
}

int scheduler_set_params(struct scheduler *scheduler, const struct donor_params *params)
{
	struct donor_params_block *block = scheduler->params.address;
	__u32 next = (block->current + 1) % DONOR_NR_SLOTS;
	__u64 generation = block->slots[block->current].generation + 1;

	block->slots[next] = *params;
	block->slots[next].generation = generation;
	__atomic_store_n(&block->current, next, __ATOMIC_RELEASE);
	wait_for_readers();
	return scheduler_is_attached(scheduler) ? 0 : -ECANCELED;
}

const struct donor_params *scheduler_params(const struct scheduler *scheduler)
{
	const struct donor_params_block *block = scheduler->params.address;

	return &block->slots[block->current % DONOR_NR_SLOTS];
}

const struct donor_topology *scheduler_topology(const struct scheduler *scheduler)
{
	return &scheduler->topology;
}

const struct donor_domain *scheduler_domains(const struct scheduler *scheduler)
{
	return scheduler->domains.address;
}

const struct donor_counters *scheduler_counters(const struct scheduler *scheduler)
{
	return scheduler->counters.address;
}

const struct donor_exit *scheduler_exit(const struct scheduler *scheduler)
{
	return scheduler->exit_record.address;
}

const char *scheduler_exit_kind(__u32 kind)
{
	switch (kind) {
	case 0:
		return "";
	case 1: /* the kernel's disabling was complete */
	case 64:
		return "unregistered";
	case 65:
		return "unregistered-bpf";
	case 66:
		return "unregistered-kernel";
	case 67:
		return "sysrq";
	case 1025:
		return "bpf-error";
	case 1026:
		return "stall";
	default:
		return kind >= 1024 ? "error" : "other";
	}
}
