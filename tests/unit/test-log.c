/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "service/log.h"

static const char *text_of(enum log_event event, const struct log_fields *fields)
{
	static char text[2048];

	memset(text, 'x', sizeof(text));
	log_event_text(event, fields, text, sizeof(text));
	return text;
}

static void fields_are_filled_in(void **state)
{
	const struct log_fields fields = { .hook = "enqueue", .donation = "on", .reason = "by me" };

	assert_string_equal(text_of(EVENT_DONATION_CHANGED, &fields),
			    "donation at enqueue on (by me)");
}

static void what_is_not_given_is_a_question_mark(void **state)
{
	assert_string_equal(text_of(EVENT_ATTACHED, &(struct log_fields){}), "attached, mode ?");
}

static void a_sign_of_the_text_alone_is_no_field(void **state)
{
	const struct log_fields fields = { .reason = "a@b", .request = "@DONOR_MODE@" };

	assert_string_equal(text_of(EVENT_NOT_CHANGED, &fields), "a@b (@DONOR_MODE@)");
}

static void what_does_not_fit_is_cut(void **state)
{
	char text[16];

	log_event_text(EVENT_ATTACHED, &(struct log_fields){ .mode = "performance" }, text,
		       sizeof(text));
	assert_true(strlen(text) >= 12 && strlen(text) < sizeof(text));
	assert_memory_equal(text, "attached, mode performance", strlen(text));
}

static void levels_have_the_names_of_syslog(void **state)
{
	enum log_level level = LOG_LEVEL_INFO;

	assert_int_equal(log_level_from_string("err", &level), 0);
	assert_int_equal(level, 3);
	assert_int_equal(log_level_from_string("debug", &level), 0);
	assert_int_equal(level, 7);
	assert_true(log_level_from_string("Debug", &level) < 0);
	assert_int_equal(level, 7);
	for (level = 0; level < _LOG_LEVEL_MAX; level++) {
		enum log_level again;

		assert_int_equal(log_level_from_string(log_level_to_string(level), &again), 0);
		assert_int_equal(again, level);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_filled_in),
		cmocka_unit_test(what_is_not_given_is_a_question_mark),
		cmocka_unit_test(a_sign_of_the_text_alone_is_no_field),
		cmocka_unit_test(what_does_not_fit_is_cut),
		cmocka_unit_test(levels_have_the_names_of_syslog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
