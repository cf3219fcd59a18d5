/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/duration.h"

#define DAY (86400 * USEC_PER_SEC)

static const struct {
	const char *text;
	int r;
	uint64_t usec;
} rows[] = {
	{ "0", 0, 0 },
	{ "10", 0, 10000000 },
	{ "0.5", 0, 500000 },
	{ "500ms", 0, 500000 },
	{ "2min", 0, 120000000 },
	{ "2m", 0, 120000000 },
	{ "2h 14min", 0, 8040000000 },
	{ "1min 30s", 0, 90000000 },
	{ "1min30", -EINVAL, 0 },
	{ "366d", 0, 366 * DAY },
	{ "367d", -ERANGE, 0 },
	{ "366d 1s", -ERANGE, 0 },
	{ "99999999999999999999999", -ERANGE, 0 },
	{ "1500us", 0, 1500 },
	{ "999ns", 0, 0 },
	{ "", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ ".5", -EINVAL, 0 },
	{ "1.2.3", -EINVAL, 0 },
	{ "1e3", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },
	{ "1 fortnight", -EINVAL, 0 },
	{ "1 30s", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
};

static void times_are_read(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t usec = 0;

		print_message("# '%s'\n", rows[i].text);
		assert_int_equal(duration_parse(rows[i].text, &usec), rows[i].r);
		assert_int_equal(usec, rows[i].usec);
	}
}

static void a_bare_number_has_the_unit_that_is_asked_for(void **state)
{
	uint64_t ns = 0;

	assert_int_equal(duration_parse_ns("7", 1, &ns), 0);
	assert_int_equal(ns, 7);
	assert_int_equal(duration_parse_ns("7", 1000000, &ns), 0);
	assert_int_equal(ns, 7000000);
	assert_int_equal(duration_parse_ns("7us", 1, &ns), 0);
	assert_int_equal(ns, 7000);
}

static void what_is_written_exactly_is_read_the_same(void **state)
{
	static const struct {
		uint64_t usec;
		const char *text;
	} exact[] = {
		{ 0, "0" },
		{ 1, "1us" },
		{ 1500, "1500us" },
		{ 90 * USEC_PER_SEC, "90s" },
		{ 300 * USEC_PER_SEC, "5min" },
		{ 7 * DAY, "7d" },
	};
	char text[64];
	uint64_t usec;

	for (unsigned i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		assert_string_equal(duration_format_exact(exact[i].usec, text, sizeof(text)),
				    exact[i].text);
		assert_int_equal(duration_parse(text, &usec), 0);
		assert_int_equal(usec, exact[i].usec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(a_bare_number_has_the_unit_that_is_asked_for),
		cmocka_unit_test(what_is_written_exactly_is_read_the_same),
	};

	return cmocka_run_group_tests_name("duration", tests, NULL, NULL);
}
