/* SPDX-License-Identifier: GPL-2.0-only */

/* The scheduler's maps: views into them, and taking them over from a service that is gone. */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "service/scheduler-private.h"

#define LINK_NAME SCHEDULER_FD_PREFIX "link"

static const struct {
	const char *name;
	const char *fd_name;
	bool is_shared; /* mapped into this process */
} maps[_MAP_MAX] = {
#define MAP(name, is_shared) { name, SCHEDULER_FD_PREFIX name, is_shared }
	[MAP_OPS] = MAP("donor", false),
	/* The kernel ends a timer when no process holds its map. */
	[MAP_TIMER] = MAP("pass_timer", false),
	[MAP_VARIABLES] = MAP(".bss", false),
	[MAP_PARAMS] = MAP(".bss.params", true),
	[MAP_MACHINE] = MAP("machine", true),
	[MAP_CPU_TOPOLOGY] = MAP("cpu_topology", true),
	[MAP_DOMAIN_TOPOLOGY] = MAP(".bss.topology", true),
	[MAP_DOMAINS] = MAP(".bss.domains", true),
	[MAP_COUNTERS] = MAP("counters", true),
	[MAP_EXIT_RECORD] = MAP("exit_record", true),
#undef MAP
};

static int map_view(int fd, struct scheduler_view *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);
	size_t bytes;
	void *address;

	if (bpf_map_get_info_by_fd(fd, &info, &size) < 0)
		return -errno;
	bytes = ((size_t)info.value_size * info.max_entries + page - 1) & ~(page - 1);
	address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (address == MAP_FAILED)
		return -errno;
	*ret = (struct scheduler_view){ address, bytes };
	return 0;
}

static int map_views(struct scheduler *scheduler)
{
	for (unsigned i = 0; i < _MAP_MAX; i++) {
		int r = maps[i].is_shared ? map_view(scheduler->maps[i], &scheduler->views[i]) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

int scheduler_open_maps(struct scheduler *scheduler)
{
	for (unsigned i = 0; i < _MAP_MAX; i++) {
		const struct bpf_map *map =
			bpf_object__find_map_by_name(scheduler->object, maps[i].name);

		if (!map)
			return -ENOENT;
		scheduler->maps[i] = fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 3);
		if (scheduler->maps[i] < 0)
			return -errno;
	}
	return map_views(scheduler);
}

/* libbpf does not let anybody map variables that are all static. */
static int clear_variables(int fd)
{
	_cleanup_(freep) void *zeroes = NULL;
	struct bpf_map_info info = {};
	__u32 size = sizeof(info), zero = 0;

	if (bpf_map_get_info_by_fd(fd, &info, &size) < 0)
		return -errno;
	zeroes = calloc(1, info.value_size);
	if (!zeroes)
		return -ENOMEM;
	return bpf_map_update_elem(fd, &zero, zeroes, BPF_ANY) < 0 ? -errno : 0;
}

int scheduler_reset_maps(struct scheduler *scheduler)
{
	for (unsigned i = 0; i < _MAP_MAX; i++)
		if (maps[i].is_shared)
			memset(scheduler->views[i].address, 0, scheduler->views[i].bytes);
	return clear_variables(scheduler->maps[MAP_VARIABLES]);
}

unsigned scheduler_fds(const struct scheduler *scheduler, struct scheduler_fd ret[SCHEDULER_MAX_FDS])
{
	unsigned nr = 0;

	for (unsigned i = 0; i < _MAP_MAX; i++)
		ret[nr++] = (struct scheduler_fd){ maps[i].fd_name, scheduler->maps[i] };
	/* The last: without it the others are of no use. */
	ret[nr++] = (struct scheduler_fd){ LINK_NAME, scheduler->link };
	return nr;
}

/* -1 if it is not there. */
static int take(struct scheduler_fd fds[], unsigned nr, const char *name)
{
	for (unsigned i = 0; i < nr; i++)
		if (strcmp(fds[i].name, name) == 0)
			return steal_fd(fds[i].fd);
	return -1;
}

/* Is the machine as this build describes it, and of this build? */
static bool is_of_this_build(int machine_map)
{
	struct bpf_map_info info = {};
	__u32 size = sizeof(info), zero = 0;
	struct donor_machine machine;

	return machine_map >= 0 && bpf_map_get_info_by_fd(machine_map, &info, &size) >= 0 &&
	       info.value_size == sizeof(machine) &&
	       bpf_map_lookup_elem(machine_map, &zero, &machine) >= 0 &&
	       memcmp(machine.build, scheduler_build, sizeof(machine.build)) == 0;
}

static int take_maps(struct scheduler *scheduler, struct scheduler_fd fds[], unsigned nr)
{
	for (unsigned i = 0; i < _MAP_MAX; i++) {
		scheduler->maps[i] = take(fds, nr, maps[i].fd_name);
		if (scheduler->maps[i] < 0)
			return -ESTALE;
	}
	return is_of_this_build(scheduler->maps[MAP_MACHINE]) ? map_views(scheduler) : -ESTALE;
}

static void read_topology(const struct scheduler *scheduler, struct donor_topology *ret)
{
	const struct donor_machine *machine = scheduler_machine(scheduler);

	*ret = (struct donor_topology){
		.nr_cpus = machine->nr_cpus,
		.nr_domains = machine->nr_domains,
		.hotplug_seq = machine->hotplug_seq,
	};
	memcpy(ret->cpus, scheduler->views[MAP_CPU_TOPOLOGY].address,
	       ret->nr_cpus * sizeof(ret->cpus[0]));
	memcpy(ret->domains, scheduler->views[MAP_DOMAIN_TOPOLOGY].address,
	       ret->nr_domains * sizeof(ret->domains[0]));
}

int scheduler_adopt(struct scheduler_fd fds[], unsigned nr, struct scheduler **ret)
{
	_cleanup_(scheduler_freep) struct scheduler *scheduler = NULL;
	int r;

	scheduler = scheduler_alloc();
	if (!scheduler)
		return -ENOMEM;
	scheduler->link = take(fds, nr, LINK_NAME);
	if (scheduler->link < 0)
		return -ENOENT;
	r = take_maps(scheduler, fds, nr);
	if (r >= 0)
		read_topology(scheduler, &scheduler->topology);
	*ret = steal_pointer(scheduler);
	return r;
}
