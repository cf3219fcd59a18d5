/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/history.h"

static char directory[32];

static const char *file(void)
{
	static char path[64];

	(void)snprintf(path, sizeof(path), "%s/exits", directory);
	return path;
}

static int set_up(void **state)
{
	strcpy(directory, "/tmp/donor-run-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)unlink(file());
	return rmdir(directory);
}

static void what_was_written_is_there_for_the_next(void **state)
{
	_cleanup_(history_closep) struct history *first = NULL, *second = NULL;

	assert_int_equal(history_open(&first, directory), 0);
	first->nr_restarts = 3;
	first->retry.nr_faults = 2;
	exits_add(&first->exits, 32, &(struct exit_info){ .kind = "stall" }, "dump");
	/* The first was killed: it does not close. */
	assert_int_equal(history_open(&second, directory), 0);
	assert_int_equal(second->nr_restarts, 3);
	assert_int_equal(second->retry.nr_faults, 2);
	assert_int_equal(second->exits.nr, 1);
	assert_string_equal(second->exits.list[0].kind, "stall");
	assert_string_equal(second->exits.dump, "dump");
}

static void another_layout_is_not_read(void **state)
{
	_cleanup_(history_closep) struct history *first = NULL, *second = NULL;

	assert_int_equal(history_open(&first, directory), 0);
	first->nr_restarts = 3;
	first->layout++;
	assert_int_equal(history_open(&second, directory), 0);
	assert_int_equal(second->nr_restarts, 0);
}

static void damage_is_mended(void **state)
{
	_cleanup_(history_closep) struct history *first = NULL, *second = NULL;

	assert_int_equal(history_open(&first, directory), 0);
	first->exits.nr = 4000000000U;
	first->retry.nr_faults = 4000000000U;
	assert_int_equal(history_open(&second, directory), 0);
	assert_int_equal(second->exits.nr, EXITS_MAX);
	assert_int_equal(second->retry.nr_faults, 0);
}

static void a_file_of_another_size_is_no_trap(void **state)
{
	_cleanup_(history_closep) struct history *history = NULL;
	_cleanup_(closep) int fd =
		open(file(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(history_open(&history, directory), 0);
	assert_int_equal(history->exits.nr, 0);
	history->exits.dump[sizeof(history->exits.dump) - 2] = 'x'; /* there is room behind it */
}

static void without_a_directory_it_lasts_as_long_as_we(void **state)
{
	_cleanup_(history_closep) struct history *none = NULL, *gone = NULL;

	assert_int_equal(history_open(&none, NULL), 0);
	none->nr_restarts = 1;
	assert_int_equal(history_open(&gone, "/nonexistent"), -ENOENT);
	assert_non_null(gone);
	assert_int_equal(gone->nr_restarts, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_was_written_is_there_for_the_next),
		TEST(another_layout_is_not_read),
		TEST(damage_is_mended),
		TEST(a_file_of_another_size_is_no_trap),
		TEST(without_a_directory_it_lasts_as_long_as_we),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
