/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "service/parameters.h"

static const struct {
	const char *knob, *text;
	int r;
	__u64 value;
} rows[] = {
	{ "slice_min_ns", "100000", 0, 100000 },
	{ "slice_min_ns", "20000000", 0, 20000000 },
	{ "slice_min_ns", "99999", -ERANGE, 0 },
	{ "slice_min_ns", "20000001", -ERANGE, 0 },
	{ "slice_min_ns", "500us", 0, 500000 },
	{ "slice_min_ns", "0.5ms", 0, 500000 },
	{ "slice_min_ns", "1s", -ERANGE, 0 },
	{ "slice_min_ns", "99999999999999999999", -ERANGE, 0 },
	{ "slice_min_ns", "", -EINVAL, 0 },
	{ "slice_min_ns", "-1", -EINVAL, 0 },
	{ "slice_min_ns", "yes", -EINVAL, 0 },
	{ "steal", "yes", 0, 1 },
	{ "steal", "no", 0, 0 },
	{ "steal", "1", 0, 1 },
	{ "steal", "2", -ERANGE, 0 },
	{ "steal", "1s", -EINVAL, 0 },
	{ "donate_max_walk", "128", 0, 128 },
	{ "donate_max_walk", "2ms", -EINVAL, 0 },
};

static void values_of_knobs_are_read(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		__u64 value = 0;

		print_message("# %s=%s\n", rows[i].knob, rows[i].text);
		assert_int_equal(knob_parse(knob_find(rows[i].knob), rows[i].text, &value),
				 rows[i].r);
		assert_int_equal(value, rows[i].value);
	}
	assert_null(knob_find("slice"));
}

static __u64 value_of(const struct wish *wish, enum donor_mode mode, const char *name)
{
	const struct donor_params params = wish_to_mode_params(wish, mode);

	return knob_get(&params, knob_find(name));
}

/* One choice after the other is added, each of which wins over those before. */
static void the_later_of_the_layers_wins(void **state)
{
	const struct knob *knob = knob_find("slice_min_ns");
	struct wish wish = { .mode = DONOR_MODE_POWER };

	assert_int_equal(value_of(&wish, DONOR_MODE_POWER, knob->name), 1000000);
	tuning_set(&wish.configured[DONOR_MODE_POWER], knob, 200000);
	assert_int_equal(value_of(&wish, DONOR_MODE_POWER, knob->name), 200000);
	assert_int_equal(value_of(&wish, DONOR_MODE_BALANCED, knob->name), 500000);
	tuning_set(&wish.tuned_always, knob, 300000);
	assert_int_equal(value_of(&wish, DONOR_MODE_POWER, knob->name), 300000);
	assert_int_equal(value_of(&wish, DONOR_MODE_BALANCED, knob->name), 300000);
	tuning_set(&wish.tuned[DONOR_MODE_POWER], knob, 400000);
	assert_int_equal(value_of(&wish, DONOR_MODE_POWER, knob->name), 400000);
	assert_int_equal(value_of(&wish, DONOR_MODE_BALANCED, knob->name), 300000);
	tuning_clear(&wish.tuned[DONOR_MODE_POWER], knob);
	tuning_clear(&wish.tuned_always, knob);
	tuning_clear(&wish.configured[DONOR_MODE_POWER], knob);
	assert_int_equal(value_of(&wish, DONOR_MODE_POWER, knob->name), 1000000);
}

static void the_choice_for_a_hook_wins_over_its_knob(void **state)
{
	struct wish wish = { .mode = DONOR_MODE_POWER };

	tuning_set(&wish.configured[DONOR_MODE_POWER], knob_find("donate_enqueue"), 1);
	assert_int_equal(wish_to_params(&wish).donate_enqueue, 1);
	wish.donation[DONOR_HOOK_ENQUEUE] = DONATION_OFF;
	assert_int_equal(wish_to_params(&wish).donate_enqueue, 0);
	assert_int_equal(value_of(&wish, DONOR_MODE_POWER, "donate_enqueue"), 1);
}

static void each_mode_fits_as_it_is(void **state)
{
	struct knob_pair pair;

	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		assert_int_equal(parameters_check(mode_defaults(mode), &pair), 0);
}

static const struct {
	const char *small, *large;
} pairs[] = {
	{ "slice_min_ns", "slice_max_ns" },
	{ "slice_max_ns", "debt_max_ns" },
	{ "latency_min_ns", "latency_max_ns" },
};

static void what_does_not_fit_is_found_and_taken_back(void **state)
{
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct knob *small = knob_find(pairs[i].small);
		const struct knob *large = knob_find(pairs[i].large);
		struct donor_params params = *mode_defaults(DONOR_MODE_BALANCED);
		struct wish wish = { .mode = DONOR_MODE_BALANCED };
		enum donor_mode mode;
		struct knob_pair pair;

		knob_set(&params, large, knob_get(&params, small));
		assert_int_equal(parameters_check(&params, &pair), 0); /* equal will do */
		knob_set(&params, large, knob_get(&params, small) - 1);
		assert_int_equal(parameters_check(&params, &pair), -EINVAL);
		assert_ptr_equal(pair.small, small);
		assert_ptr_equal(pair.large, large);

		tuning_set(&wish.tuned[DONOR_MODE_BALANCED], large, knob_get(&params, large));
		assert_int_equal(wish_check(&wish, &mode, &pair), -EINVAL);
		assert_int_equal(mode, DONOR_MODE_BALANCED);
		params = wish_to_params(&wish);
		assert_memory_equal(&params, mode_defaults(DONOR_MODE_BALANCED), sizeof(params));
	}
}

static void draw(struct tuning *tuning, unsigned *seed)
{
	for (unsigned i = 0; i < nr_knobs; i++)
		if (rand_r(seed) % 4 == 0)
			tuning_set(tuning, &knobs[i],
				   rand_r(seed) % 2 ? knobs[i].minimum : knobs[i].maximum);
}

/* Whatever is wished, the kernel gets values within bounds that fit each other. */
static void no_wish_gives_a_set_that_does_not_fit(void **state)
{
	unsigned seed = 1, nr_unfit = 0;

	for (unsigned round = 0; round < 10000; round++) {
		struct wish wish = { .mode = round % _DONOR_MODE_MAX };
		struct donor_params params;
		enum donor_mode mode;
		struct knob_pair pair;

		draw(&wish.configured[wish.mode], &seed);
		draw(&wish.tuned[wish.mode], &seed);
		draw(&wish.tuned_always, &seed);
		nr_unfit += wish_check(&wish, &mode, &pair) < 0;
		params = wish_to_params(&wish);
		assert_int_equal(parameters_check(&params, &pair), 0);
		for (unsigned i = 0; i < nr_knobs; i++)
			assert_in_range(knob_get(&params, &knobs[i]), knobs[i].minimum,
					knobs[i].maximum);
	}
	assert_true(nr_unfit > 100); /* the dice went there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_knobs_are_read),
		cmocka_unit_test(the_later_of_the_layers_wins),
		cmocka_unit_test(the_choice_for_a_hook_wins_over_its_knob),
		cmocka_unit_test(each_mode_fits_as_it_is),
		cmocka_unit_test(what_does_not_fit_is_found_and_taken_back),
		cmocka_unit_test(no_wish_gives_a_set_that_does_not_fit),
	};

	return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
