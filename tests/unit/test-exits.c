/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/cleanup.h"
#include "service/exits.h"

static void add(struct exits *exits, unsigned number, const char *dump)
{
	struct exit_info info = { .realtime_us = number * 1000000ULL, .kind = "stall" };

	(void)snprintf(info.reason, sizeof(info.reason), "reason %u", number);
	exits_add(exits, &info, dump);
}

static void the_latest_are_kept(void **state)
{
	_cleanup_(exits_done) struct exits exits = {};

	assert_int_equal(exits_keep(&exits, 3), 0);
	for (unsigned i = 1; i <= 5; i++)
		add(&exits, i, NULL);
	assert_int_equal(exits.nr, 3);
	assert_string_equal(exits.list[0].reason, "reason 5");
	assert_string_equal(exits.list[2].reason, "reason 3");
}

static void another_number_keeps_what_fits(void **state)
{
	_cleanup_(exits_done) struct exits exits = {};

	assert_int_equal(exits_keep(&exits, 3), 0);
	for (unsigned i = 1; i <= 3; i++)
		add(&exits, i, NULL);
	assert_int_equal(exits_keep(&exits, 2), 0);
	assert_int_equal(exits.nr, 2);
	assert_string_equal(exits.list[0].reason, "reason 3");
	assert_int_equal(exits_keep(&exits, 0), 0);
	add(&exits, 4, NULL);
	assert_int_equal(exits.nr, 0);
	assert_int_equal(exits_keep(&exits, 4), 0);
	add(&exits, 5, NULL);
	assert_int_equal(exits.nr, 1);
}

static void print(const struct exits *exits, char **ret)
{
	size_t size;
	FILE *f = open_memstream(ret, &size);

	exits_print(exits, f);
	fclose(f);
}

static void the_report_has_all_exits_and_the_last_dump(void **state)
{
	_cleanup_(exits_done) struct exits exits = {};
	_cleanup_(freep) char *text = NULL;

	assert_int_equal(exits_keep(&exits, 3), 0);
	add(&exits, 1, "an old dump\n");
	add(&exits, 2, "task \x1b[31m\tname\n");
	add(&exits, 3, ""); /* on request: the kernel dumps nothing */
	print(&exits, &text);
	assert_non_null(strstr(text, "3 exits"));
	assert_non_null(strstr(text, "1970-01-01 00:00:01 UTC  stall, code 0, attached for 0.000 s\n"
				     "    reason 1\n"));
	assert_non_null(strstr(text, "dump of 1970-01-01 00:00:02 UTC\ntask ?[31m\tname\n"));
	assert_null(strstr(text, "old dump"));
}

static void a_report_of_nothing_says_so(void **state)
{
	struct exits exits = {};
	_cleanup_(freep) char *text = NULL;

	print(&exits, &text);
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

	exit_copy_text(text, sizeof(text), "a\x1b\xff\nbcdef");
	assert_string_equal(text, "a???b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_latest_are_kept),
		cmocka_unit_test(another_number_keeps_what_fits),
		cmocka_unit_test(the_report_has_all_exits_and_the_last_dump),
		cmocka_unit_test(a_report_of_nothing_says_so),
		cmocka_unit_test(the_cause_is_in_kind_and_code),
		cmocka_unit_test(text_is_cut_and_made_printable),
	};

	return cmocka_run_group_tests_name("exits", tests, NULL, NULL);
}
