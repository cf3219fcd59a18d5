/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/status.h"

static void the_line_says_what_matters_in_each_state(void **state)
{
	static const struct {
		struct status status;
		const char *line;
	} rows[] = {
		{ { .state = STATE_ATTACHED, .mode = DONOR_MODE_POWER, .reason = "not shown" },
		  "attached, power, no donation" },
		{ { .state = STATE_ATTACHED,
		    .mode = DONOR_MODE_BALANCED,
		    .effective = { true, true } },
		  "attached, balanced, donation at select-cpu and enqueue" },
		{ { .state = STATE_ATTACHED,
		    .mode = DONOR_MODE_PERFORMANCE,
		    .effective = { true, false } },
		  "attached, performance, donation at select-cpu" },
		{ { .state = STATE_ATTACHED,
		    .mode = DONOR_MODE_PERFORMANCE,
		    .effective = { false, true } },
		  "attached, performance, donation at enqueue" },
		{ { .state = STATE_CONFLICT, .reason = "Other is attached." },
		  "conflict: Other is attached." },
		{ { .state = STATE_UNSUPPORTED, .reason = "No sched_ext." },
		  "unsupported: No sched_ext." },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[256];

		status_line(&rows[i].status, line, sizeof(line));
		assert_string_equal(line, rows[i].line);
	}
}

static void a_long_reason_is_cut_and_not_overrun(void **state)
{
	const struct status status = { .state = STATE_FAILED, .reason = "0123456789" };
	char line[12] = "xxxxxxxxxxx";

	status_line(&status, line, sizeof(line) - 1);
	assert_string_equal(line, "failed: 01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_says_what_matters_in_each_state),
		cmocka_unit_test(a_long_reason_is_cut_and_not_overrun),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
