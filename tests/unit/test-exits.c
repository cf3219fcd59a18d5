/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/cleanup.h"
#include "service/copy-text.h"
#include "service/exits.h"

static struct exits exits; /* too large for a stack */

static int set_up(void **state)
{
	memset(&exits, 0, sizeof(exits));
	return 0;
}

static void add(unsigned keep, unsigned number, const char *dump)
{
	struct exit_info info = { .realtime_us = number * 1000000ULL, .kind = "stall" };

	(void)snprintf(info.reason, sizeof(info.reason), "reason %u", number);
	exits_add(&exits, keep, &info, dump);
}

static void the_latest_are_kept(void **state)
{
	for (unsigned i = 1; i <= 5; i++)
		add(3, i, "");
	assert_int_equal(exits.nr, 3);
	assert_string_equal(exits.list[0].reason, "reason 5");
	assert_string_equal(exits.list[2].reason, "reason 3");
}

static void another_number_keeps_what_fits(void **state)
{
	for (unsigned i = 1; i <= 3; i++)
		add(3, i, "");
	exits_trim(&exits, 2);
	assert_int_equal(exits.nr, 2);
	assert_string_equal(exits.list[0].reason, "reason 3");
	add(0, 4, "dump");
	assert_int_equal(exits.nr, 2);
	assert_string_equal(exits.dump, "dump");
	add(1, 5, "");
	assert_int_equal(exits.nr, 1);
	assert_string_equal(exits.list[0].reason, "reason 5");
}

static void there_is_an_end_to_it(void **state)
{
	for (unsigned i = 0; i < EXITS_MAX + 2; i++)
		add(1000000, i, "");
	assert_int_equal(exits.nr, EXITS_MAX);
	assert_string_equal(exits.list[EXITS_MAX - 1].reason, "reason 2");
}

static void any_memory_can_be_mended(void **state)
{
	memset(&exits, 'x', sizeof(exits));
	exits_mend(&exits);
	assert_int_equal(exits.nr, EXITS_MAX);
	assert_int_equal(strlen(exits.list[EXITS_MAX - 1].message), DONOR_EXIT_MESSAGE_BYTES - 1);
	assert_int_equal(strlen(exits.dump), DONOR_EXIT_DUMP_BYTES - 1);
}

static void print(char **ret)
{
	size_t size;
	FILE *f = open_memstream(ret, &size);

	exits_print(&exits, f);
	fclose(f);
}

static void the_report_has_all_exits_and_the_last_dump(void **state)
{
	_cleanup_(freep) char *text = NULL;

	add(3, 1, "an old dump\n");
	add(3, 2, "task \x1b[31m\tname\n");
	add(3, 3, ""); /* on request: the kernel dumps nothing */
	print(&text);
	assert_non_null(strstr(text, "3 exits"));
	assert_non_null(strstr(text, "1970-01-01 00:00:01 UTC  stall, code 0, attached for 0.000 s\n"
				     "    reason 1\n"));
	assert_non_null(strstr(text, "dump of 1970-01-01 00:00:02 UTC\ntask ?[31m\tname\n"));
	assert_null(strstr(text, "old dump"));
}

static void a_report_of_nothing_says_so(void **state)
{
	_cleanup_(freep) char *text = NULL;

	print(&text);
	assert_non_null(strstr(text, "0 exits"));
	assert_non_null(strstr(text, "no dump"));
}

static void the_cause_is_in_kind_and_code(void **state)
{
	assert_int_equal(exit_cause(1026, 0), EXIT_FAULT);
	assert_int_equal(exit_cause(66, 0x1000100000000), EXIT_RESTART);
	assert_int_equal(exit_cause(66, 0x100000000), EXIT_FAULT);
	assert_int_equal(exit_cause(67, 0x1000000000000), EXIT_ORDER);
}

static void text_is_cut_and_made_printable(void **state)
{
	char text[6] = "......";

	copy_text(text, sizeof(text), "a\x1b\xff\nbcdef");
	assert_string_equal(text, "a???b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_latest_are_kept, set_up),
		cmocka_unit_test_setup(another_number_keeps_what_fits, set_up),
		cmocka_unit_test_setup(there_is_an_end_to_it, set_up),
		cmocka_unit_test_setup(any_memory_can_be_mended, set_up),
		cmocka_unit_test_setup(the_report_has_all_exits_and_the_last_dump, set_up),
		cmocka_unit_test_setup(a_report_of_nothing_says_so, set_up),
		cmocka_unit_test_setup(the_cause_is_in_kind_and_code, set_up),
		cmocka_unit_test_setup(text_is_cut_and_made_printable, set_up),
	};

	return cmocka_run_group_tests_name("exits", tests, NULL, NULL);
}
