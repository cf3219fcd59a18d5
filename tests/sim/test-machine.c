/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <hwloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sim/machine.h"

static struct sim_machine *load(const char *what)
{
	struct sim_machine *machine = NULL;
	char *message = NULL;
	int r = machine_load(what, &machine, &message);

	if (r < 0)
		print_error("%s\n", message);
	assert_int_equal(r, 0);
	return machine;
}

static unsigned nr_cores(const struct sim_machine *machine)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < machine->topology.nr_domains; i++)
		nr += machine->topology.domains[i].nr_cores;
	return nr;
}

static void named_machines_have_the_cpus_that_they_have(void **state)
{
	static const struct {
		const char *name;
		unsigned nr_cpus, nr_domains, nr_cores, first_sibling, last_sibling, mhz, all_mhz;
	} rows[] = {
		{ "vm8", 8, 2, 4, 1, 6, 3000, 3000 },
		{ "tr3970x", 64, 8, 32, 32, 31, 4400, 3900 },
		{ "epyc-2x192", 768, 24, 384, 384, 383, 3700, 3350 },
		{ "hybrid-6p8e", 20, 2, 14, 1, 19, 5000, 4200 },
		{ "steamdeck", 8, 1, 4, 1, 6, 3500, 2800 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim_machine *m = load(rows[i].name);

		assert_string_equal(m->name, rows[i].name);
		assert_string_equal(machine_names()[i], rows[i].name);
		assert_int_equal(m->topology.nr_cpus, rows[i].nr_cpus);
		assert_int_equal(m->topology.nr_domains, rows[i].nr_domains);
		assert_int_equal(nr_cores(m), rows[i].nr_cores);
		assert_int_equal(m->topology.cpus[0].sibling, rows[i].first_sibling);
		assert_int_equal(m->topology.cpus[rows[i].nr_cpus - 1].sibling,
				 rows[i].last_sibling);
		assert_int_equal(m->frequency[0].mhz, rows[i].mhz);
		assert_int_equal(m->frequency[m->nr_frequencies - 1].mhz, rows[i].all_mhz);
		assert_int_equal(m->frequency[m->nr_frequencies - 1].nr_cores, rows[i].nr_cores);
		machine_free(m);
	}
	assert_null(machine_names()[sizeof(rows) / sizeof(rows[0])]);
}

static void siblings_are_a_ring_within_the_core(void **state)
{
	for (const char *const *name = machine_names(); *name; name++) {
		struct sim_machine *m = load(*name);

		for (unsigned cpu = 0; cpu < m->topology.nr_cpus; cpu++) {
			unsigned nr = 0, other = cpu;

			do {
				assert_int_equal(m->topology.cpus[other].core,
						 m->topology.cpus[cpu].core);
				other = m->topology.cpus[other].sibling;
				nr++;
			} while (other != cpu && nr < m->topology.nr_cpus);
			assert_int_equal(nr, m->topology.cpus[cpu].nr_threads);
		}
		machine_free(m);
	}
}

static void threadripper_is_numbered_as_linux_does(void **state)
{
	struct sim_machine *m = load("tr3970x");
	char list[32];

	assert_int_equal(topology_cpu_list(&m->topology, 2, list, sizeof(list)), 0);
	assert_string_equal(list, "8-11,40-43");
	assert_int_equal(m->topology.cpus[40].sibling, 8);
	machine_free(m);
}

static void nodes_of_two_packages_are_far(void **state)
{
	struct sim_machine *m = load("epyc-2x192");
	const struct donor_domain_topology *d = &m->topology.domains[0];

	assert_int_equal(d->distance_end[DONOR_DISTANCE_NODE], 11);
	assert_int_equal(d->distance_end[DONOR_DISTANCE_REMOTE], 23);
	machine_free(m);
}

static void slower_kinds_have_less_capacity(void **state)
{
	struct sim_machine *m = load("hybrid-6p8e");

	for (unsigned cpu = 0; cpu < 20; cpu++)
		assert_int_equal(m->capacity[cpu], cpu < 12 ? 1024 : 600);
	assert_int_equal(m->topology.cpus[11].nr_threads, 2);
	assert_int_equal(m->topology.cpus[12].nr_threads, 1);
	assert_true(m->topology.domains[m->topology.cpus[0].domain].kind >
		    m->topology.domains[m->topology.cpus[12].domain].kind);
	assert_int_equal(m->topology.domains[0].cache, m->topology.domains[1].cache);
	machine_free(m);
}

static void description_is_a_machine(void **state)
{
	struct sim_machine *m = load("pack:1 l3:8 core:4 pu:2");

	assert_int_equal(m->topology.nr_cpus, 64);
	assert_int_equal(m->topology.nr_domains, 8);
	assert_int_equal(m->topology.cpus[62].sibling, 63);
	assert_int_equal(m->capacity[63], 1024);
	assert_int_equal(m->nr_frequencies, 1);
	assert_int_equal(m->frequency[0].nr_cores, 32);
	machine_free(m);
}

static void register_kind(hwloc_topology_t hardware, int from, int to, const char *attribute,
			  const char *value)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct hwloc_info_s info = { .name = (char *)attribute, .value = (char *)value };

	hwloc_bitmap_set_range(cpus, (unsigned)from, to);
	assert_int_equal(hwloc_cpukinds_register(hardware, cpus, from ? 20 : 10, attribute ? 1 : 0,
						 &info, 0),
			 0);
	hwloc_bitmap_free(cpus);
}

/* Slow CPUs 0-3, fast ones 4-7, as lstopo would write it. */
static struct sim_machine *load_xml(const char *attribute, const char *slow, const char *fast)
{
	char path[] = "/tmp/donor-machine-XXXXXX";
	struct sim_machine *machine;
	hwloc_topology_t hardware;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	hwloc_topology_init(&hardware);
	assert_int_equal(hwloc_topology_set_synthetic(hardware, "pack:1 l3:1 core:8 pu:1"), 0);
	assert_int_equal(hwloc_topology_load(hardware), 0);
	register_kind(hardware, 0, 3, attribute, slow);
	register_kind(hardware, 4, 7, attribute, fast);
	assert_int_equal(hwloc_topology_export_xml(hardware, path, 0), 0);
	hwloc_topology_destroy(hardware);
	machine = load(path);
	unlink(path);
	return machine;
}

static void capacity_of_a_file_is_what_the_kernel_says_or_the_clocks_or_the_rank(void **state)
{
	static const struct {
		const char *attribute, *slow, *fast;
		__u32 capacity, mhz;
	} rows[] = {
		{ "LinuxCapacity", "512", "1024", 512, 3000 },
		{ "FrequencyMaxMHz", "3000", "4000", 768, 4000 },
		{ NULL, NULL, NULL, 614, 3000 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim_machine *m = load_xml(rows[i].attribute, rows[i].slow, rows[i].fast);

		assert_int_equal(m->capacity[0], rows[i].capacity);
		assert_int_equal(m->capacity[7], 1024);
		assert_int_equal(m->frequency[0].mhz, rows[i].mhz);
		machine_free(m);
	}
}

static void what_is_no_machine_gets_a_sentence(void **state)
{
	char no_xml[] = "/tmp/donor-machine-XXXXXX";
	const struct {
		const char *what;
		int result;
		const char *words;
	} rows[] = {
		{ "tr3970", -ENOENT, "name one of vm8, tr3970x" },
		{ "", -ENOENT, "there is no machine ''" },
		{ "/nonexistent.xml", -ENOENT, "lstopo" },
		{ "pack:1 l3:x", -EINVAL, "pack:1 l3:8 core:4 pu:2" },
		{ "pack:1 l3:2 core:2 cpu:2", -EINVAL, "'pack:1 l3:2 core:2 cpu:2' is no machine" },
		{ "pack:0 pu:1", -EINVAL, "is no machine" },
		{ "pack:1 core:1025 pu:1", -E2BIG, "1024 CPUs" },
		{ "pack:1 l3:129 core:2 pu:1", -E2BIG, "128 domains" },
		{ no_xml, -EINVAL, "lstopo machine.xml" },
	};
	int fd = mkstemp(no_xml);

	assert_true(fd >= 0 && write(fd, "<topology", 9) == 9);
	close(fd);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim_machine *machine = NULL;
		char *message = NULL;

		assert_int_equal(machine_load(rows[i].what, &machine, &message), rows[i].result);
		assert_null(machine);
		assert_non_null(message);
		if (!strstr(message, rows[i].words))
			fail_msg("'%s' does not say '%s'", message, rows[i].words);
		assert_null(strchr(message, '\n'));
		free(message);
	}
	unlink(no_xml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_machines_have_the_cpus_that_they_have),
		cmocka_unit_test(siblings_are_a_ring_within_the_core),
		cmocka_unit_test(threadripper_is_numbered_as_linux_does),
		cmocka_unit_test(nodes_of_two_packages_are_far),
		cmocka_unit_test(slower_kinds_have_less_capacity),
		cmocka_unit_test(description_is_a_machine),
		cmocka_unit_test(
			capacity_of_a_file_is_what_the_kernel_says_or_the_clocks_or_the_rank),
		cmocka_unit_test(what_is_no_machine_gets_a_sentence),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
