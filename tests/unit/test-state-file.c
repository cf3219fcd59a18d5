/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "service/state-file.h"

static char directory[64], path[96], new_path[96];

static int make_directory(void **state)
{
	strcpy(directory, "/tmp/donor-state-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/state", directory);
	snprintf(new_path, sizeof(new_path), "%s/state.new", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)chmod(directory, 0700);
	(void)remove(new_path);
	(void)remove(path);
	return rmdir(directory);
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct state_file *reopen(struct state_file *state)
{
	state_free(state);
	state = NULL;
	assert_int_equal(state_open(&state, directory), 0);
	return state;
}

static void what_was_saved_is_there_again(void **state)
{
	_cleanup_(state_freep) struct state_file *file = reopen(NULL);
	char text[16];
	uint64_t number;

	assert_int_equal(state_error(file), 0);
	assert_int_equal(state_set_text(file, "override.mode", "power"), 0);
	assert_int_equal(state_set_number(file, "boot.attempts", UINT64_MAX), 0);
	assert_int_equal(state_set_text(file, "override.reason", "\"quoted\"\n\\ \xc3\xa4"), 0);
	assert_int_equal(state_save(file), 0);
	assert_int_equal(access(new_path, F_OK), -1);
	file = reopen(file);
	assert_int_equal(state_error(file), 0);
	assert_true(state_get_text(file, "override.mode", text, sizeof(text)));
	assert_string_equal(text, "power");
	assert_true(state_get_text(file, "override.reason", text, sizeof(text)));
	assert_string_equal(text, "\"quoted\"\n\\ \xc3\xa4");
	assert_true(state_get_number(file, "boot.attempts", &number));
	assert_true(number == UINT64_MAX);
}

static void what_was_not_saved_is_not(void **state)
{
	_cleanup_(state_freep) struct state_file *file = reopen(NULL);
	uint64_t number;

	assert_int_equal(state_set_number(file, "boot.attempts", 1), 0);
	file = reopen(file);
	assert_false(state_get_number(file, "boot.attempts", &number));
}

static void a_topic_is_removed_without_its_neighbours(void **state)
{
	_cleanup_(state_freep) struct state_file *file = reopen(NULL);
	uint64_t number;

	assert_int_equal(state_set_number(file, "override.since", 1), 0);
	assert_int_equal(state_set_number(file, "override", 2), 0);
	assert_int_equal(state_set_number(file, "override.until", 3), 0);
	assert_int_equal(state_set_number(file, "override.uid", 3), 0);
	assert_int_equal(state_set_number(file, "boot.override.", 4), 0);
	state_remove(file, "override.");
	assert_int_equal(state_save(file), 0);
	file = reopen(file);
	assert_false(state_get_number(file, "override.since", &number));
	assert_false(state_get_number(file, "override.until", &number));
	assert_false(state_get_number(file, "override.uid", &number));
	assert_true(state_get_number(file, "override", &number));
	assert_true(state_get_number(file, "boot.override.", &number));
}

static void values_of_another_type_count_as_absent(void **state)
{
	static const char *const keys[] = { "text", "long", "negative", "real", "list", "null" };
	_cleanup_(state_freep) struct state_file *file = NULL;
	uint64_t number = 77;
	char text[4] = "old";

	write_file("{\"text\": \"x\", \"long\": \"four\", \"negative\": -1, \"real\": 1.5,"
		   " \"list\": [1], \"null\": null, \"number\": 5}");
	file = reopen(NULL);
	assert_int_equal(state_error(file), 0);
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_false(state_get_number(file, keys[i], &number));
	for (unsigned i = 1; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_false(state_get_text(file, keys[i], text, sizeof(text)));
	assert_int_equal(number, 77);
	assert_string_equal(text, "old");
	assert_true(state_get_text(file, "text", text, sizeof(text)));
	assert_memory_equal(text, "x\0\0", sizeof(text));
	assert_true(state_get_number(file, "number", &number));
}

static void a_damaged_file_counts_as_empty_and_is_replaced(void **state)
{
	static const char *const damages[] = {
		"", "{", "{\"override.mode\": \"pow", "[1, 2]", "17", "null", "\177ELF", "override",
	};

	for (unsigned i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		_cleanup_(state_freep) struct state_file *file = NULL;
		uint64_t number;

		write_file(damages[i]);
		file = reopen(NULL);
		assert_int_equal(state_error(file), -EBADMSG);
		assert_false(state_get_number(file, "boot.attempts", &number));
		assert_int_equal(state_set_number(file, "boot.attempts", 2), 0);
		assert_int_equal(state_save(file), 0);
		file = reopen(file);
		assert_int_equal(state_error(file), 0);
		assert_true(state_get_number(file, "boot.attempts", &number));
	}
}

static void what_is_no_file_of_ours_is_not_read(void **state)
{
	_cleanup_(state_freep) struct state_file *file = NULL;

	assert_int_equal(symlink("/etc/passwd", path), 0);
	file = reopen(NULL);
	assert_int_equal(state_error(file), -ELOOP);
	assert_int_equal(remove(path), 0);

	assert_int_equal(mkfifo(path, 0600), 0); /* reading it would block for ever */
	file = reopen(file);
	assert_int_equal(state_error(file), -EBADMSG);
}

static ino_t inode(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* What reaches the disk, in which order: linked in place of the C library's, see meson.build. */
static char order[16];
static bool had_old_file;

static void note(char what)
{
	size_t length = strlen(order);

	if (length < sizeof(order) - 1)
		order[length] = what;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	note(S_ISDIR(st.st_mode) ? 'D' : 'F');
	return __real_fsync(fd);
}

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new)
{
	had_old_file = access(path, F_OK) == 0;
	note('R');
	return __real_renameat(from, old, to, new);
}

static void the_new_file_is_on_disk_before_the_old_one_goes(void **state)
{
	_cleanup_(state_freep) struct state_file *file = reopen(NULL);

	for (uint64_t i = 0; i < 2; i++) {
		memset(order, 0, sizeof(order));
		assert_int_equal(state_set_number(file, "a", i), 0);
		assert_int_equal(state_save(file), 0);
		assert_string_equal(order, "FRD");
		assert_true(had_old_file == (i > 0));
	}
}

/* The old file is replaced, never written to; and not for nothing. */
static void each_change_makes_a_new_file(void **state)
{
	_cleanup_(state_freep) struct state_file *file = reopen(NULL);
	FILE *old;
	ino_t before;

	assert_int_equal(state_set_number(file, "a", 1), 0);
	assert_int_equal(state_save(file), 0);
	before = inode();
	old = fopen(path, "r"); /* keeps its number from being used again */
	assert_non_null(old);
	assert_int_equal(state_set_number(file, "a", 1), 0);
	assert_int_equal(state_save(file), 0);
	assert_true(inode() == before);
	assert_int_equal(state_set_number(file, "a", 2), 0);
	assert_int_equal(state_save(file), 0);
	assert_true(inode() != before);
	fclose(old);
}

static void a_failure_to_write_leaves_the_old_file(void **state)
{
	_cleanup_(state_freep) struct state_file *file = reopen(NULL);
	uint64_t number;

	assert_int_equal(state_set_number(file, "a", 1), 0);
	assert_int_equal(state_save(file), 0);
	assert_int_equal(mkdir(new_path, 0700), 0); /* in the way of the new file, even for root */
	assert_int_equal(state_set_number(file, "a", 2), 0);
	assert_int_equal(state_save(file), -EISDIR);
	assert_int_equal(rmdir(new_path), 0);
	file = reopen(file);
	assert_true(state_get_number(file, "a", &number));
	assert_int_equal(number, 1);
}

static void without_a_directory_nothing_is_kept_and_that_is_said(void **state)
{
	_cleanup_(state_freep) struct state_file *file = NULL, *missing = NULL;
	uint64_t number;

	assert_int_equal(state_open(&file, NULL), 0);
	assert_int_equal(state_error(file), 0);
	assert_int_equal(state_set_number(file, "a", 1), 0);
	assert_true(state_get_number(file, "a", &number));
	assert_int_equal(state_save(file), -ENXIO);

	assert_int_equal(state_open(&missing, "/nonexistent/donor"), 0);
	assert_int_equal(state_error(missing), -ENOENT);
	assert_int_equal(state_save(missing), -ENXIO);
}

#define test_in_directory(f) cmocka_unit_test_setup_teardown(f, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_directory(what_was_saved_is_there_again),
		test_in_directory(what_was_not_saved_is_not),
		test_in_directory(a_topic_is_removed_without_its_neighbours),
		test_in_directory(values_of_another_type_count_as_absent),
		test_in_directory(a_damaged_file_counts_as_empty_and_is_replaced),
		test_in_directory(what_is_no_file_of_ours_is_not_read),
		test_in_directory(the_new_file_is_on_disk_before_the_old_one_goes),
		test_in_directory(each_change_makes_a_new_file),
		test_in_directory(a_failure_to_write_leaves_the_old_file),
		test_in_directory(without_a_directory_nothing_is_kept_and_that_is_said),
	};

	return cmocka_run_group_tests_name("state-file", tests, NULL, NULL);
}
