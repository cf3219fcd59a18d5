/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <hwloc.h>
#include <string.h>

#include "service/cleanup.h"
#include "service/topology.h"

static hwloc_topology_t machine_free(hwloc_topology_t machine)
{
	hwloc_topology_destroy(machine);
	return NULL;
}
DEFINE_CLEANUP(hwloc_topology_t, machine_free);

/* CPUs that our own cgroup may not use are scheduled all the same. */
static int machine_load(const char *xml, hwloc_topology_t *ret)
{
	_cleanup_(machine_freep) hwloc_topology_t machine = NULL;

	if (hwloc_topology_init(&machine) < 0)
		return -ENOMEM;
	if (xml && hwloc_topology_set_xml(machine, xml) < 0)
		return -errno;
	if (hwloc_topology_set_flags(machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0 ||
	    hwloc_topology_load(machine) < 0)
		return -errno;
	*ret = steal_pointer(machine);
	return 0;
}

static unsigned nr_cores_of(hwloc_topology_t machine, hwloc_obj_t object)
{
	return (unsigned)hwloc_get_nbobjs_inside_cpuset_by_type(machine, object->cpuset,
								HWLOC_OBJ_CORE);
}

/*
 * What the CPU shares with its neighbours: the outermost cache. One that serves a single core is
 * shared with nobody, and then the package counts, or the machine.
 */
static hwloc_obj_t shared_cache_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
	hwloc_obj_t cache = NULL, package;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type))
			cache = o;
	if (cache && nr_cores_of(machine, cache) > 1)
		return cache;
	package = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_PACKAGE, pu);
	return package ?: hwloc_get_root_obj(machine);
}

static __u16 kind_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
	int kind = hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0);

	return kind < 0 ? 0 : (__u16)kind;
}

static __u16 node_of(hwloc_obj_t pu)
{
	int node = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : 0;

	return node < 0 ? 0 : (__u16)node;
}

/* The domain of that cache and kind, made if it is new. */
static int find_domain(struct donor_topology *t, hwloc_obj_t *caches, hwloc_obj_t cache, __u16 kind)
{
	__u16 first = (__u16)t->nr_domains; /* with that cache */

	for (unsigned i = t->nr_domains; i-- > 0;) {
		if (caches[i] != cache)
			continue;
		if (t->domains[i].kind == kind)
			return (int)i;
		first = t->domains[i].cache;
	}
	if (t->nr_domains == DONOR_MAX_DOMAINS)
		return -E2BIG;
	caches[t->nr_domains] = cache;
	t->domains[t->nr_domains].kind = kind;
	t->domains[t->nr_domains].cache = first;
	return (int)t->nr_domains++;
}

/* The next thread of its core; the first behind the last; itself where it has the core alone. */
static __u16 sibling_of(hwloc_obj_t pu, hwloc_obj_t core)
{
	int next = hwloc_bitmap_next(core->cpuset, (int)pu->os_index);

	return (__u16)(next >= 0 ? next : hwloc_bitmap_first(core->cpuset));
}

static int add_cpu(struct donor_topology *t, hwloc_topology_t machine, hwloc_obj_t pu,
		   hwloc_obj_t *caches)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu) ?: pu;
	struct donor_cpu_topology *cpu;
	struct donor_domain_topology *d;
	int domain;

	if (pu->os_index >= DONOR_MAX_CPUS)
		return -E2BIG;
	domain = find_domain(t, caches, shared_cache_of(machine, pu), kind_of(machine, pu));
	if (domain < 0)
		return domain;
	d = &t->domains[domain];
	cpu = &t->cpus[pu->os_index];
	cpu->domain = (__u16)domain;
	cpu->core = (__u16)hwloc_bitmap_first(core->cpuset);
	cpu->nr_threads = (__u16)hwloc_bitmap_weight(core->cpuset);
	cpu->sibling = sibling_of(pu, core);
	d->node = node_of(pu);
	d->nr_cpus++;
	d->nr_cores += cpu->core == pu->os_index;
	if (pu->os_index >= t->nr_cpus)
		t->nr_cpus = pu->os_index + 1;
	return 0;
}

static enum donor_distance distance(const struct donor_domain_topology *a,
				    const struct donor_domain_topology *b)
{
	if (a->cache == b->cache)
		return DONOR_DISTANCE_CACHE;
	return a->node == b->node ? DONOR_DISTANCE_NODE : DONOR_DISTANCE_REMOTE;
}

/* Nearest first, and within a distance each domain begins with its successor: they spread. */
static void add_neighbours(struct donor_topology *t, unsigned from)
{
	struct donor_domain_topology *d = &t->domains[from];
	__u16 nr = 0;

	for (int far = 0; far < DONOR_NR_DISTANCES; far++) {
		for (unsigned step = 1; step < t->nr_domains; step++) {
			unsigned to = (from + step) % t->nr_domains;

			if ((int)distance(d, &t->domains[to]) == far)
				d->neighbours[nr++] = (__u8)to;
		}
		d->distance_end[far] = nr;
	}
}

int topology_group(struct hwloc_topology *machine, struct donor_topology *ret)
{
	hwloc_obj_t caches[DONOR_MAX_DOMAINS], pu = NULL;
	int r;

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < DONOR_MAX_CPUS; i++)
		ret->cpus[i] =
			(struct donor_cpu_topology){ .domain = DONOR_NONE, .sibling = (__u16)i };
	while ((pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu))) {
		r = add_cpu(ret, machine, pu, caches);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < ret->nr_domains; i++)
		add_neighbours(ret, i);
	return 0;
}

int topology_read(const char *xml, struct donor_topology *ret)
{
	_cleanup_(machine_freep) hwloc_topology_t machine = NULL;
	int r;

	r = machine_load(xml, &machine);
	return r < 0 ? r : topology_group(machine, ret);
}

int topology_cpu_list(const struct donor_topology *topology, unsigned domain, char *buf,
		      unsigned size)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int n;

	if (!cpus)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < topology->nr_cpus; cpu++)
		if (topology->cpus[cpu].domain == domain)
			hwloc_bitmap_set(cpus, cpu);
	n = hwloc_bitmap_list_snprintf(buf, size, cpus);
	hwloc_bitmap_free(cpus);
	return n >= 0 && (unsigned)n < size ? 0 : -ENOBUFS;
}
