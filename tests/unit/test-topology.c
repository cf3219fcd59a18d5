/* SPDX-License-Identifier: GPL-2.0-only */

#include <hwloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "service/topology.h"

/* A machine that hwloc imagines, changed by `change`, as lstopo would write it. */
static int read_machine(const char *description, void (*change)(hwloc_topology_t),
			struct donor_topology *ret)
{
	char path[] = "/tmp/donor-topology-XXXXXX";
	hwloc_topology_t machine;
	int r, fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	hwloc_topology_init(&machine);
	assert_int_equal(hwloc_topology_set_synthetic(machine, description), 0);
	assert_int_equal(hwloc_topology_load(machine), 0);
	if (change)
		change(machine);
	assert_int_equal(hwloc_topology_export_xml(machine, path, 0), 0);
	hwloc_topology_destroy(machine);
	r = topology_read(path, ret);
	unlink(path);
	return r;
}

static void check_cpus(const struct donor_topology *t, unsigned domain, const char *cpus)
{
	char buf[64];

	assert_int_equal(topology_cpu_list(t, domain, buf, sizeof(buf)), 0);
	assert_string_equal(buf, cpus);
}

static void each_cache_is_a_domain(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:1 l3:2 core:2 pu:2", NULL, &t), 0);
	assert_int_equal(t.nr_cpus, 8);
	assert_int_equal(t.nr_domains, 2);
	check_cpus(&t, 0, "0-3");
	check_cpus(&t, 1, "4-7");
	assert_int_equal(t.domains[1].nr_cpus, 4);
	assert_int_equal(t.domains[1].nr_cores, 2);
	assert_int_equal(t.cpus[5].core, 4);
	assert_int_equal(t.cpus[5].nr_threads, 2);
	assert_int_equal(t.domains[0].distance_end[DONOR_DISTANCE_CACHE], 0);
	assert_int_equal(t.domains[0].distance_end[DONOR_DISTANCE_NODE], 1);
	assert_int_equal(t.domains[0].neighbours[0], 1);
}

static void other_node_is_farther(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:2 [numa] l3:12 core:16 pu:2", NULL, &t), 0);
	assert_int_equal(t.nr_cpus, 768);
	assert_int_equal(t.nr_domains, 24);
	assert_int_equal(t.domains[5].distance_end[DONOR_DISTANCE_NODE], 11);
	assert_int_equal(t.domains[5].distance_end[DONOR_DISTANCE_REMOTE], 23);
	assert_int_equal(t.domains[5].neighbours[0], 6); /* each begins with its successor */
	assert_int_equal(t.domains[11].neighbours[0], 0);
	for (unsigned i = 0; i < 11; i++)
		assert_int_equal(t.domains[t.domains[5].neighbours[i]].node, t.domains[5].node);
}

static void without_cache_the_package_is_a_domain(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:2 core:4 pu:1", NULL, &t), 0);
	assert_int_equal(t.nr_domains, 2);
	check_cpus(&t, 0, "0-3");
	assert_int_equal(t.cpus[3].nr_threads, 1);
}

static void without_package_the_machine_is(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pu:4", NULL, &t), 0);
	assert_int_equal(t.nr_domains, 1);
	check_cpus(&t, 0, "0-3");
}

static void private_caches_are_no_domains(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:1 l2:4 core:1 pu:2", NULL, &t), 0);
	assert_int_equal(t.nr_domains, 1);
}

static void one_cpu_is_a_machine(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pu:1", NULL, &t), 0);
	assert_int_equal(t.nr_cpus, 1);
	assert_int_equal(t.nr_domains, 1);
	assert_int_equal(t.domains[0].distance_end[DONOR_DISTANCE_REMOTE], 0);
}

static void register_kind(hwloc_topology_t machine, unsigned from, unsigned to, int efficiency)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	hwloc_bitmap_set_range(cpus, from, (int)to);
	hwloc_cpukinds_register(machine, cpus, efficiency, 0, NULL, 0);
	hwloc_bitmap_free(cpus);
}

static void make_hybrid(hwloc_topology_t machine)
{
	register_kind(machine, 0, 3, 20);
	register_kind(machine, 4, 7, 10);
}

static void kinds_behind_one_cache_are_two_domains(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:1 l3:1 core:8 pu:1", make_hybrid, &t), 0);
	assert_int_equal(t.nr_domains, 2);
	check_cpus(&t, 0, "0-3");
	assert_int_equal(t.domains[0].kind, 1); /* the faster one ranks higher */
	assert_int_equal(t.domains[1].kind, 0);
	assert_int_equal(t.domains[0].cache, t.domains[1].cache);
	assert_int_equal(t.domains[0].distance_end[DONOR_DISTANCE_CACHE], 1);
}

/* Offline CPUs are not there for hwloc. */
static void take_offline(hwloc_topology_t machine)
{
	hwloc_bitmap_t online = hwloc_bitmap_alloc();

	hwloc_bitmap_set_range(online, 0, 6);
	hwloc_bitmap_clr(online, 1);
	assert_int_equal(hwloc_topology_restrict(machine, online, 0), 0);
	hwloc_bitmap_free(online);
}

static void offline_cpus_belong_nowhere(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:1 l3:2 core:2 pu:2", take_offline, &t), 0);
	assert_int_equal(t.nr_cpus, 7);
	assert_int_equal(t.cpus[1].domain, DONOR_NONE);
	assert_int_equal(t.cpus[0].nr_threads, 1);
	assert_int_equal(t.domains[0].nr_cpus, 3);
	assert_int_equal(t.domains[1].nr_cores, 2);
	check_cpus(&t, 0, "0,2-3");
}

static void too_large_a_machine_is_refused(void **state)
{
	static struct donor_topology t;

	assert_int_equal(read_machine("pack:1 core:1025 pu:1", NULL, &t), -E2BIG);
	assert_int_equal(read_machine("pack:1 l3:129 core:2 pu:1", NULL, &t), -E2BIG);
}

static void list_that_does_not_fit_says_so(void **state)
{
	static struct donor_topology t;
	char buf[3];

	assert_int_equal(read_machine("pack:1 l3:2 core:2 pu:2", NULL, &t), 0);
	assert_int_equal(topology_cpu_list(&t, 0, buf, sizeof(buf)), -ENOBUFS);
}

static void this_machine_can_be_read(void **state)
{
	static struct donor_topology t;

	assert_int_equal(topology_read(NULL, &t), 0);
	assert_true(t.nr_cpus >= 1 && t.nr_domains >= 1);
	assert_true(topology_read("/nonexistent.xml", &t) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cache_is_a_domain),
		cmocka_unit_test(other_node_is_farther),
		cmocka_unit_test(without_cache_the_package_is_a_domain),
		cmocka_unit_test(without_package_the_machine_is),
		cmocka_unit_test(private_caches_are_no_domains),
		cmocka_unit_test(one_cpu_is_a_machine),
		cmocka_unit_test(kinds_behind_one_cache_are_two_domains),
		cmocka_unit_test(offline_cpus_belong_nowhere),
		cmocka_unit_test(too_large_a_machine_is_refused),
		cmocka_unit_test(list_that_does_not_fit_says_so),
		cmocka_unit_test(this_machine_can_be_read),
	};

	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
