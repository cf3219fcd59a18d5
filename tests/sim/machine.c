/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <hwloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "service/cleanup.h"
#include "tests/sim/machine.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	MOST_KINDS = 2,
	NOMINAL_CAPACITY = 1024,
	ASSUMED_SLOWER_PCT = 60, /* each kind against the next faster one, if nothing is known */
	ASSUMED_MHZ = 3000,
};

struct named_machine {
	const char *name;
	const char *description;
	const char *cpus; /* those that exist; NULL: all */
	struct {
		const char *cpus;
		__u32 capacity;
	} kinds[MOST_KINDS];
	struct {
		__u32 nr_cores;
		__u32 mhz;
	} frequencies[MACHINE_FREQUENCY_STEPS];
};

static const struct named_machine named_machines[] = {
#define KINDS(...) { __VA_ARGS__ }
#define FREQUENCIES(...) { __VA_ARGS__ }
#define MACHINE(name, description, cpus, kinds, frequencies, help)                                 \
	{ name, description, cpus, kinds, frequencies },
#include "tests/sim/machines.def"
#undef MACHINE
};

static const char *const names[] = {
#define MACHINE(name, ...) name,
#include "tests/sim/machines.def"
#undef MACHINE
	NULL,
};

const char *const *machine_names(void)
{
	return names;
}

static hwloc_topology_t hardware_free(hwloc_topology_t hardware)
{
	hwloc_topology_destroy(hardware);
	return NULL;
}
DEFINE_CLEANUP(hwloc_topology_t, hardware_free);

static hwloc_bitmap_t cpus_free(hwloc_bitmap_t cpus)
{
	hwloc_bitmap_free(cpus);
	return NULL;
}
DEFINE_CLEANUP(hwloc_bitmap_t, cpus_free);

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

static int parse_cpus(const char *list, hwloc_bitmap_t *ret)
{
	_cleanup_(cpus_freep) hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	if (!cpus)
		return -ENOMEM;
	if (hwloc_bitmap_list_sscanf(cpus, list) < 0)
		return -EINVAL;
	*ret = steal_pointer(cpus);
	return 0;
}

static int keep_cpus(hwloc_topology_t hardware, const char *list)
{
	_cleanup_(cpus_freep) hwloc_bitmap_t cpus = NULL;
	int r = parse_cpus(list, &cpus);

	if (r < 0)
		return r;
	return hwloc_topology_restrict(hardware, cpus, 0) < 0 ? -errno : 0;
}

/* hwloc keeps it as the attribute that Linux's own cpu_capacity gets. */
static int register_kind(hwloc_topology_t hardware, const char *list, __u32 capacity)
{
	_cleanup_(cpus_freep) hwloc_bitmap_t cpus = NULL;
	char text[16];
	struct hwloc_info_s info = { .name = (char *)"LinuxCapacity", .value = text };
	int r = parse_cpus(list, &cpus);

	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "%u", capacity);
	return hwloc_cpukinds_register(hardware, cpus, (int)capacity, 1, &info, 0) < 0 ? -errno : 0;
}

static int complete_named(hwloc_topology_t hardware, const struct named_machine *named)
{
	int r = named->cpus ? keep_cpus(hardware, named->cpus) : 0;

	for (unsigned i = 0; i < MOST_KINDS && named->kinds[i].cpus && !r; i++)
		r = register_kind(hardware, named->kinds[i].cpus, named->kinds[i].capacity);
	return r;
}

static __u32 kind_info(hwloc_topology_t hardware, unsigned kind, const char *name)
{
	struct hwloc_info_s *infos = NULL;
	unsigned nr = 0;

	if (hwloc_cpukinds_get_info(hardware, kind, NULL, NULL, &nr, &infos, 0) < 0)
		return 0;
	for (unsigned i = 0; i < nr; i++)
		if (strcmp(infos[i].name, name) == 0)
			return (__u32)strtoul(infos[i].value, NULL, 10);
	return 0;
}

/* The largest value of an attribute over all kinds; 0 if one of them does not have it. */
static __u32 largest_info(hwloc_topology_t hardware, unsigned nr_kinds, const char *name)
{
	__u32 most = 0;

	for (unsigned kind = 0; kind < nr_kinds; kind++) {
		__u32 value = kind_info(hardware, kind, name);

		if (!value)
			return 0;
		most = value > most ? value : most;
	}
	return most;
}

/* What the kernel says, else what the clocks say, else by rank. */
static __u32 kind_capacity(hwloc_topology_t hardware, unsigned nr_kinds, unsigned kind)
{
	static const char *const measures[] = { "LinuxCapacity", "FrequencyMaxMHz" };
	__u32 capacity = NOMINAL_CAPACITY;

	for (unsigned i = 0; i < ARRAY_SIZE(measures); i++) {
		__u64 most = largest_info(hardware, nr_kinds, measures[i]);

		if (most)
			return (__u32)(kind_info(hardware, kind, measures[i]) *
				       (__u64)NOMINAL_CAPACITY / most);
	}
	for (unsigned faster = kind + 1; faster < nr_kinds; faster++)
		capacity = capacity * ASSUMED_SLOWER_PCT / 100;
	return capacity;
}

static void add_capacities(struct sim_machine *machine, hwloc_topology_t hardware)
{
	const struct donor_topology *t = &machine->topology;
	int nr = hwloc_cpukinds_get_nr(hardware, 0);

	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++) {
		if (t->cpus[cpu].domain == DONOR_NONE)
			continue;
		machine->capacity[cpu] = NOMINAL_CAPACITY;
		if (nr > 1)
			machine->capacity[cpu] = kind_capacity(
				hardware, (unsigned)nr, t->domains[t->cpus[cpu].domain].kind);
	}
}

static void add_frequencies(struct sim_machine *machine, hwloc_topology_t hardware,
			    const struct named_machine *named)
{
	int nr_kinds = hwloc_cpukinds_get_nr(hardware, 0);
	__u32 mhz;

	for (unsigned i = 0; named && i < MACHINE_FREQUENCY_STEPS; i++) {
		if (!named->frequencies[i].nr_cores)
			break;
		machine->frequency[i].nr_cores = named->frequencies[i].nr_cores;
		machine->frequency[i].mhz = named->frequencies[i].mhz;
		machine->nr_frequencies++;
	}
	if (machine->nr_frequencies)
		return;
	mhz = nr_kinds > 0 ? largest_info(hardware, (unsigned)nr_kinds, "FrequencyMaxMHz") : 0;
	for (unsigned i = 0; i < machine->topology.nr_domains; i++)
		machine->frequency[0].nr_cores += machine->topology.domains[i].nr_cores;
	machine->frequency[0].mhz = mhz ?: ASSUMED_MHZ;
	machine->nr_frequencies = 1;
}

static int build(const char *what, hwloc_topology_t hardware, const struct named_machine *named,
		 struct sim_machine **ret, char **ret_message)
{
	_cleanup_(freep) struct sim_machine *machine = calloc(1, sizeof(*machine));
	int r;

	if (!machine)
		return -ENOMEM;
	r = topology_group(hardware, &machine->topology);
	if (r == -E2BIG)
		return fail(r, ret_message,
			    "machine '%s' is larger than donor can be, which is %d CPUs in %d "
			    "domains; name a smaller one",
			    what, DONOR_MAX_CPUS, DONOR_MAX_DOMAINS);
	if (r < 0)
		return fail(r, ret_message, "machine '%s' cannot be used: %s; name another", what,
			    strerror(-r));
	snprintf(machine->name, sizeof(machine->name), "%s", what);
	add_capacities(machine, hardware);
	add_frequencies(machine, hardware, named);
	*ret = steal_pointer(machine);
	return 0;
}

static const struct named_machine *find_named(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(named_machines); i++)
		if (strcmp(named_machines[i].name, name) == 0)
			return &named_machines[i];
	return NULL;
}

/* Neither name nor file: a description if it looks like one. */
static int complain(const char *what, char **ret_message)
{
	char list[256] = "";

	if (strchr(what, ':'))
		return fail(-EINVAL, ret_message,
			    "'%s' is no machine that hwloc understands; describe it from the "
			    "outside in, as in \"pack:1 l3:8 core:4 pu:2\"",
			    what);
	for (unsigned i = 0; names[i]; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 names[i]);
	return fail(-ENOENT, ret_message,
		    "there is no machine '%s'; name one of %s, a file that `lstopo machine.xml` "
		    "wrote, or describe it as in \"pack:1 l3:8 core:4 pu:2\"",
		    what, list);
}

static int choose_source(hwloc_topology_t hardware, const char *what,
			 const struct named_machine *named, char **ret_message)
{
	if (!named && access(what, F_OK) == 0) {
		if (hwloc_topology_set_xml(hardware, what) == 0)
			return 0;
		return fail(-EINVAL, ret_message,
			    "'%s' is no machine that hwloc can read: %m; write one with `lstopo "
			    "machine.xml`",
			    what);
	}
	if (hwloc_topology_set_synthetic(hardware, named ? named->description : what) < 0)
		return complain(what, ret_message);
	return 0;
}

static int load(const char *what, struct sim_machine **ret, char **ret_message)
{
	_cleanup_(hardware_freep) hwloc_topology_t hardware = NULL;
	const struct named_machine *named = find_named(what);
	int r;

	if (hwloc_topology_init(&hardware) < 0)
		return -ENOMEM;
	r = choose_source(hardware, what, named, ret_message);
	if (r < 0)
		return r;
	if (hwloc_topology_set_flags(hardware, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0 ||
	    hwloc_topology_load(hardware) < 0)
		return fail(-EINVAL, ret_message,
			    "hwloc cannot make a machine of '%s': %m; write it anew with `lstopo "
			    "machine.xml`",
			    what);
	r = named ? complete_named(hardware, named) : 0;
	return r < 0 ? r : build(what, hardware, named, ret, ret_message);
}

int machine_load(const char *what, struct sim_machine **ret, char **ret_message)
{
	int r;

	*ret_message = NULL;
	r = load(what, ret, ret_message);
	if (r < 0 && !*ret_message)
		return fail(r, ret_message,
			    "machine '%s' cannot be read: %s; close something and try again", what,
			    strerror(-r));
	return r;
}

struct sim_machine *machine_free(struct sim_machine *machine)
{
	free(machine);
	return NULL;
}
