/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/mode.h"

static void names_of_modes_are_read_and_unknown_ones_refused(void **state)
{
	static const struct {
		const char *name;
		int result;
		enum donor_mode mode;
	} rows[] = {
		{ "power", 0, DONOR_MODE_POWER },
		{ "balanced", 0, DONOR_MODE_BALANCED },
		{ "performance", 0, DONOR_MODE_PERFORMANCE },
		{ "power-saver", 0, DONOR_MODE_POWER },
		{ "powersave", 0, DONOR_MODE_POWER },
		{ "", -ENOENT, 0 },
		{ "Power", -ENOENT, 0 },
		{ "power ", -ENOENT, 0 },
		{ "perform", -ENOENT, 0 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum donor_mode mode = _DONOR_MODE_MAX;

		assert_int_equal(mode_from_string(rows[i].name, &mode), rows[i].result);
		assert_int_equal(mode, rows[i].result < 0 ? _DONOR_MODE_MAX : rows[i].mode);
	}
}

static void aliases_are_never_given_back(void **state)
{
	assert_string_equal(mode_to_string(DONOR_MODE_POWER), "power");
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++) {
		enum donor_mode again;

		assert_int_equal(mode_from_string(mode_to_string(mode), &again), 0);
		assert_int_equal(again, mode);
		assert_true(strlen(mode_description(mode)) > 0);
	}
}

static void names_of_hooks_are_read_and_unknown_ones_refused(void **state)
{
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		enum donor_hook again;

		assert_int_equal(hook_from_string(hook_to_string(hook), &again), 0);
		assert_int_equal(again, hook);
	}
	assert_string_equal(hook_to_string(DONOR_HOOK_SELECT_CPU), "select-cpu");
	assert_string_equal(hook_to_string(DONOR_HOOK_ENQUEUE), "enqueue");
	assert_int_equal(hook_from_string("select_cpu", &(enum donor_hook){ 0 }), -ENOENT);
	assert_int_equal(hook_from_string("dispatch", &(enum donor_hook){ 0 }), -ENOENT);
}

/* The columns of knobs.def could be swapped without any compiler noticing. */
static void each_mode_has_its_own_column_of_the_table(void **state)
{
	static const struct {
		enum donor_mode mode;
		__u64 donate_select_cpu, donate_min_run_ns, slice_max_ns;
	} rows[] = {
		{ DONOR_MODE_POWER, 0, 2000000, 8000000 },
		{ DONOR_MODE_BALANCED, 1, 500000, 5000000 },
		{ DONOR_MODE_PERFORMANCE, 1, 200000, 3000000 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wish wish = { .mode = rows[i].mode };
		const struct donor_params params = wish_to_params(&wish);

		assert_int_equal(params.mode, rows[i].mode);
		assert_int_equal(params.donate_select_cpu, rows[i].donate_select_cpu);
		assert_int_equal(params.donate_min_run_ns, rows[i].donate_min_run_ns);
		assert_int_equal(params.slice_max_ns, rows[i].slice_max_ns);
	}
}

static void a_choice_for_a_hook_wins_over_the_mode_and_touches_no_other(void **state)
{
	static const struct {
		enum donor_mode mode;
		enum donation_choice select_cpu, enqueue;
		bool expect_select_cpu, expect_enqueue;
	} rows[] = {
		{ DONOR_MODE_POWER, DONATION_FOLLOWS_MODE, DONATION_FOLLOWS_MODE, false, false },
		{ DONOR_MODE_POWER, DONATION_ON, DONATION_FOLLOWS_MODE, true, false },
		{ DONOR_MODE_POWER, DONATION_FOLLOWS_MODE, DONATION_ON, false, true },
		{ DONOR_MODE_BALANCED, DONATION_FOLLOWS_MODE, DONATION_FOLLOWS_MODE, true, true },
		{ DONOR_MODE_BALANCED, DONATION_OFF, DONATION_FOLLOWS_MODE, false, true },
		{ DONOR_MODE_PERFORMANCE, DONATION_ON, DONATION_OFF, true, false },
		{ DONOR_MODE_PERFORMANCE, DONATION_OFF, DONATION_OFF, false, false },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wish wish = {
			.mode = rows[i].mode,
			.donation = { rows[i].select_cpu, rows[i].enqueue },
		};
		const struct wish plain = { .mode = rows[i].mode };
		const struct donor_params of_mode = wish_to_params(&plain);
		struct donor_params params = wish_to_params(&wish);

		assert_int_equal(params_donation(&params, DONOR_HOOK_SELECT_CPU),
				 rows[i].expect_select_cpu);
		assert_int_equal(params_donation(&params, DONOR_HOOK_ENQUEUE),
				 rows[i].expect_enqueue);
		params.donate_select_cpu = of_mode.donate_select_cpu;
		params.donate_enqueue = of_mode.donate_enqueue;
		assert_memory_equal(&params, &of_mode, sizeof(params));
	}
}

static void every_knob_is_read_from_its_own_place(void **state)
{
	struct donor_params params;
	__u64 next = 1;

#define KNOB(name, ...) params.name = next++;
#include "bpf/knobs.def"
#undef KNOB
	assert_int_equal(nr_knobs, next - 1);
	for (unsigned i = 0; i < nr_knobs; i++) {
		assert_int_equal(knob_get(&params, &knobs[i]), i + 1);
		assert_true(knobs[i].minimum < knobs[i].maximum);
	}
	assert_string_equal(knobs[0].name, "donate_select_cpu");
	assert_string_equal(knobs[0].unit, "bool");
}

static void every_counter_is_read_from_its_own_place(void **state)
{
	struct donor_counters values;
	__u64 next = 1;

#define COUNTER(name, help) values.name = next++;
#include "bpf/counters.def"
#undef COUNTER
	assert_int_equal(nr_counters, next - 1);
	for (unsigned i = 0; i < nr_counters; i++)
		assert_int_equal(counter_get(&values, &counters[i]), i + 1);
	assert_string_equal(counters[0].name, "place_pinned");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_modes_are_read_and_unknown_ones_refused),
		cmocka_unit_test(aliases_are_never_given_back),
		cmocka_unit_test(names_of_hooks_are_read_and_unknown_ones_refused),
		cmocka_unit_test(each_mode_has_its_own_column_of_the_table),
		cmocka_unit_test(a_choice_for_a_hook_wins_over_the_mode_and_touches_no_other),
		cmocka_unit_test(every_knob_is_read_from_its_own_place),
		cmocka_unit_test(every_counter_is_read_from_its_own_place),
	};

	return cmocka_run_group_tests_name("mode", tests, NULL, NULL);
}
