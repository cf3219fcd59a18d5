/* SPDX-License-Identifier: GPL-2.0-only */

/* Boots and starts of the service, told by what is left of the two files. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "service/boot-guard.h"

struct machine {
	char disk[32], run[32];
	struct boot_guard guard;
};

static void stop(struct machine *machine)
{
	machine->guard.state = state_free(machine->guard.state);
	machine->guard.boot_state = state_free(machine->guard.boot_state);
}

/* The service is started once more in the same boot; however the last one ended. */
static void start(struct machine *machine)
{
	stop(machine);
	assert_int_equal(state_open(&machine->guard.state, machine->disk), 0);
	assert_int_equal(state_open(&machine->guard.boot_state, machine->run), 0);
}

static void forget(const char *directory)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/state", directory);
	(void)unlink(path);
}

static void boot(struct machine *machine)
{
	forget(machine->run);
	start(machine);
}

static int set_up(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	assert_non_null(machine);
	strcpy(machine->disk, "/tmp/donor-disk-XXXXXX");
	strcpy(machine->run, "/tmp/donor-run-XXXXXX");
	assert_non_null(mkdtemp(machine->disk));
	assert_non_null(mkdtemp(machine->run));
	boot(machine);
	*state = machine;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *machine = *state;

	stop(machine);
	forget(machine->disk);
	forget(machine->run);
	assert_int_equal(rmdir(machine->disk), 0);
	assert_int_equal(rmdir(machine->run), 0);
	free(machine);
	return 0;
}

static void attempts_of_boots_that_went_down_add_up(void **state)
{
	struct machine *machine = *state;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(boot_guard_unclean(&machine->guard), i);
		assert_int_equal(boot_guard_attempt(&machine->guard), 0);
		assert_int_equal(boot_guard_unclean(&machine->guard), i);
		boot(machine);
	}
	boot(machine); /* without an attempt: nothing has got better */
	assert_int_equal(boot_guard_unclean(&machine->guard), 3);
}

static void one_that_went_well_forgives(void **state)
{
	struct machine *machine = *state;

	assert_int_equal(boot_guard_attempt(&machine->guard), 0);
	boot(machine);
	assert_int_equal(boot_guard_attempt(&machine->guard), 0);
	assert_int_equal(boot_guard_clear(&machine->guard), 0);
	assert_int_equal(boot_guard_unclean(&machine->guard), 0);
	boot(machine);
	assert_int_equal(boot_guard_unclean(&machine->guard), 0);
}

static void a_service_that_is_killed_is_no_boot(void **state)
{
	struct machine *machine = *state;

	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(boot_guard_unclean(&machine->guard), 0);
		assert_int_equal(boot_guard_attempt(&machine->guard), 0);
		start(machine);
	}
	boot(machine);
	assert_int_equal(boot_guard_unclean(&machine->guard), 1);
}

static void an_attempt_after_a_good_one_counts_anew(void **state)
{
	struct machine *machine = *state;

	assert_int_equal(boot_guard_attempt(&machine->guard), 0);
	assert_int_equal(boot_guard_clear(&machine->guard), 0);
	assert_int_equal(boot_guard_attempt(&machine->guard), 0);
	assert_int_equal(boot_guard_unclean(&machine->guard), 0);
	boot(machine);
	assert_int_equal(boot_guard_unclean(&machine->guard), 1);
}

static void without_a_disk_it_says_so(void **state)
{
	struct machine *machine = *state;
	struct boot_guard guard = machine->guard;

	assert_int_equal(state_open(&guard.state, NULL), 0);
	assert_int_equal(boot_guard_attempt(&guard), -ENXIO);
	assert_int_equal(boot_guard_attempt(&guard), -ENXIO);
	assert_int_equal(boot_guard_unclean(&guard), 0);
	state_free(guard.state);
}

static void the_word_on_the_command_line(void **state)
{
	static const struct {
		const char *line;
		bool off;
	} rows[] = {
		{ "donor.off", true },
		{ "quiet donor.off\n", true },
		{ "a=b\tdonor.off=1 quiet", true },
		{ "donor.off=yes", true },
		{ "donor.off=true x", true },
		{ "x donor.off=on", true },
		{ "", false },
		{ "\n", false },
		{ "quiet splash", false },
		{ "donor.off=0", false },
		{ "donor.off=no", false },
		{ "donor.offline", false },
		{ "xdonor.off", false },
		{ "quiet -- donor.off", false },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (boot_guard_says_off(rows[i].line) != rows[i].off)
			fail_msg("row %u: %s", i, rows[i].line);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(attempts_of_boots_that_went_down_add_up),
		TEST(one_that_went_well_forgives),
		TEST(a_service_that_is_killed_is_no_boot),
		TEST(an_attempt_after_a_good_one_counts_anew),
		TEST(without_a_disk_it_says_so),
		cmocka_unit_test(the_word_on_the_command_line),
	};

	return cmocka_run_group_tests_name("boot-guard", tests, NULL, NULL);
}
