/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "service/resolve.h"

enum { NR_PRESENT = 4 };

#define NOBODY _SOURCE_MAX
#define POWER DONOR_MODE_POWER
#define BALANCED DONOR_MODE_BALANCED
#define PERFORMANCE DONOR_MODE_PERFORMANCE

struct row {
	struct {
		enum mode_source source;
		enum donor_mode mode;
	} present[NR_PRESENT];
	enum donor_mode mode;
	enum mode_source source;
	enum donor_mode beneath_mode;
	enum mode_source beneath_source;
};

static struct mode_inputs inputs_of(const struct row *row)
{
	struct mode_inputs inputs = {};

	for (unsigned i = 0; i < NR_PRESENT; i++) {
		enum mode_source source = row->present[i].source;

		if (source != NOBODY)
			inputs.candidates[source] =
				mode_candidate(row->present[i].mode, "by %d", source);
	}
	return inputs;
}

static void check_verdict(const struct mode_verdict *verdict, enum donor_mode mode,
			  enum mode_source source)
{
	char reason[32];

	assert_int_equal(verdict->mode, mode);
	assert_int_equal(verdict->source, source);
	snprintf(reason, sizeof(reason), "by %d", source);
	assert_string_equal(verdict->reason, reason);
}

/* clang-format off */ /* one situation per line reads as a table */
static const struct row rows[] = {
	/* alone over the default */
	{ { { SOURCE_CONFIG, BALANCED }, { NOBODY }, { NOBODY }, { NOBODY } },
	  BALANCED, SOURCE_CONFIG, BALANCED, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, POWER }, { SOURCE_POWER_SOURCE, PERFORMANCE }, { NOBODY }, { NOBODY } },
	  PERFORMANCE, SOURCE_POWER_SOURCE, POWER, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, POWER }, { SOURCE_PROFILE, PERFORMANCE }, { NOBODY }, { NOBODY } },
	  PERFORMANCE, SOURCE_PROFILE, POWER, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, POWER }, { SOURCE_SOFT_HOLD, PERFORMANCE }, { NOBODY }, { NOBODY } },
	  PERFORMANCE, SOURCE_SOFT_HOLD, POWER, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, POWER }, { SOURCE_OVERRIDE, PERFORMANCE }, { NOBODY }, { NOBODY } },
	  PERFORMANCE, SOURCE_OVERRIDE, POWER, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, POWER }, { SOURCE_HOLD, PERFORMANCE }, { NOBODY }, { NOBODY } },
	  PERFORMANCE, SOURCE_HOLD, POWER, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, PERFORMANCE }, { SOURCE_LOW_BATTERY, POWER }, { NOBODY }, { NOBODY } },
	  POWER, SOURCE_LOW_BATTERY, PERFORMANCE, SOURCE_CONFIG },
	{ { { SOURCE_CONFIG, POWER }, { SOURCE_LOCKED, PERFORMANCE }, { NOBODY }, { NOBODY } },
	  PERFORMANCE, SOURCE_LOCKED, POWER, SOURCE_CONFIG },
	/* each against its neighbour in rank, whatever the modes */
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_LOCKED, PERFORMANCE }, { SOURCE_LOW_BATTERY, POWER }, { NOBODY } },
	  PERFORMANCE, SOURCE_LOCKED, POWER, SOURCE_LOW_BATTERY },
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_HOLD, PERFORMANCE }, { SOURCE_LOW_BATTERY, POWER }, { NOBODY } },
	  POWER, SOURCE_LOW_BATTERY, PERFORMANCE, SOURCE_HOLD },
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_HOLD, POWER }, { SOURCE_OVERRIDE, PERFORMANCE }, { NOBODY } },
	  POWER, SOURCE_HOLD, PERFORMANCE, SOURCE_OVERRIDE },
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_SOFT_HOLD, POWER }, { SOURCE_OVERRIDE, PERFORMANCE }, { NOBODY } },
	  PERFORMANCE, SOURCE_OVERRIDE, POWER, SOURCE_SOFT_HOLD },
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_SOFT_HOLD, PERFORMANCE }, { SOURCE_PROFILE, POWER }, { NOBODY } },
	  PERFORMANCE, SOURCE_SOFT_HOLD, POWER, SOURCE_PROFILE },
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_POWER_SOURCE, POWER }, { SOURCE_PROFILE, PERFORMANCE }, { NOBODY } },
	  PERFORMANCE, SOURCE_PROFILE, POWER, SOURCE_POWER_SOURCE },
	/* what lies beneath is the next that has something to say */
	{ { { SOURCE_CONFIG, BALANCED }, { SOURCE_LOCKED, BALANCED }, { SOURCE_SOFT_HOLD, POWER }, { SOURCE_POWER_SOURCE, PERFORMANCE } },
	  BALANCED, SOURCE_LOCKED, POWER, SOURCE_SOFT_HOLD },
	{ { { SOURCE_CONFIG, PERFORMANCE }, { SOURCE_HOLD, BALANCED }, { SOURCE_PROFILE, POWER }, { SOURCE_POWER_SOURCE, BALANCED } },
	  BALANCED, SOURCE_HOLD, POWER, SOURCE_PROFILE },
};
/* clang-format on */

static void the_first_in_rank_wins_and_the_next_lies_beneath(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mode_inputs inputs = inputs_of(&rows[i]);
		const struct resolution resolution = resolve(&inputs);

		check_verdict(&resolution.in_force, rows[i].mode, rows[i].source);
		check_verdict(&resolution.beneath, rows[i].beneath_mode, rows[i].beneath_source);
	}
}

/* All 128 sets of those present, against a sentence that is written another way. */
static void any_set_of_candidates_is_decided_by_rank_alone(void **state)
{
	for (unsigned set = 0; set < 1U << SOURCE_CONFIG; set++) {
		struct mode_inputs inputs = {};
		struct resolution resolution;
		int highest, next;

		for (unsigned source = 0; source < _SOURCE_MAX; source++)
			if (source == SOURCE_CONFIG || (set >> source & 1))
				inputs.candidates[source] = mode_candidate(
					(source + set) % _DONOR_MODE_MAX, "by %u", source);
		highest = set ? __builtin_ctz(set) : SOURCE_CONFIG;
		next = set & (set - 1) ? __builtin_ctz(set & (set - 1)) : SOURCE_CONFIG;
		resolution = resolve(&inputs);
		check_verdict(&resolution.in_force, (highest + set) % _DONOR_MODE_MAX, highest);
		check_verdict(&resolution.beneath, (next + set) % _DONOR_MODE_MAX, next);
	}
}

static void degraded_performance_caps_what_nobody_chose(void **state)
{
	static const struct {
		enum mode_source source;
		enum donor_mode mode, cap, expected;
		bool says_why;
	} caps[] = {
		{ SOURCE_CONFIG, PERFORMANCE, BALANCED, BALANCED, true },
		{ SOURCE_POWER_SOURCE, PERFORMANCE, BALANCED, BALANCED, true },
		{ SOURCE_PROFILE, PERFORMANCE, BALANCED, BALANCED, true },
		{ SOURCE_PROFILE, PERFORMANCE, POWER, POWER, true },
		{ SOURCE_PROFILE, BALANCED, BALANCED, BALANCED, false },
		{ SOURCE_PROFILE, POWER, BALANCED, POWER, false },
		{ SOURCE_PROFILE, PERFORMANCE, PERFORMANCE, PERFORMANCE, false },
		{ SOURCE_SOFT_HOLD, PERFORMANCE, BALANCED, PERFORMANCE, false },
		{ SOURCE_OVERRIDE, PERFORMANCE, BALANCED, PERFORMANCE, false },
		{ SOURCE_HOLD, PERFORMANCE, BALANCED, PERFORMANCE, false },
		{ SOURCE_LOW_BATTERY, PERFORMANCE, BALANCED, PERFORMANCE, false },
		{ SOURCE_LOCKED, PERFORMANCE, BALANCED, PERFORMANCE, false },
	};

	for (unsigned i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		struct mode_inputs inputs = {
			.is_degraded = true,
			.degraded_mode = caps[i].cap,
			.degraded_reason = "lap-detected",
		};
		struct mode_verdict verdict;

		inputs.candidates[SOURCE_CONFIG] = mode_candidate(POWER, "default");
		inputs.candidates[caps[i].source] = mode_candidate(caps[i].mode, "choice");
		verdict = resolve(&inputs).in_force;
		assert_int_equal(verdict.mode, caps[i].expected);
		assert_int_equal(verdict.source, caps[i].source);
		assert_string_equal(verdict.reason, caps[i].says_why ? "lap-detected" : "choice");

		inputs.is_degraded = false;
		verdict = resolve(&inputs).in_force;
		assert_int_equal(verdict.mode, caps[i].mode);
		assert_string_equal(verdict.reason, "choice");
	}
}

static void what_lies_beneath_is_capped_as_well(void **state)
{
	struct mode_inputs inputs = {
		.is_degraded = true,
		.degraded_mode = BALANCED,
		.degraded_reason = "high temperature",
	};
	struct resolution resolution;

	inputs.candidates[SOURCE_CONFIG] = mode_candidate(POWER, "default");
	inputs.candidates[SOURCE_PROFILE] = mode_candidate(PERFORMANCE, "profile");
	inputs.candidates[SOURCE_OVERRIDE] = mode_candidate(PERFORMANCE, "person");
	resolution = resolve(&inputs);
	assert_int_equal(resolution.in_force.mode, PERFORMANCE);
	assert_int_equal(resolution.beneath.mode, BALANCED);
	assert_string_equal(resolution.beneath.reason, "high temperature");
}

/* PropertiesChanged compares bytes: what stood there before must not shine through. */
static void a_shorter_reason_leaves_nothing_of_a_longer_one(void **state)
{
	struct mode_candidate a = mode_candidate(POWER, "%s", "a much longer reason than the next");
	struct mode_candidate b;

	memset(&b, 0xff, sizeof(b));
	a = mode_candidate(POWER, "short");
	b = mode_candidate(POWER, "short");
	assert_memory_equal(a.reason, b.reason, sizeof(a.reason));
}

static void a_reason_is_cut_to_what_fits(void **state)
{
	char text[2 * MODE_REASON_BYTES];
	struct mode_candidate candidate;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	candidate = mode_candidate(POWER, "%s", text);
	assert_int_equal(strlen(candidate.reason), MODE_REASON_BYTES - 1);
}

static void sources_have_the_words_of_the_interface(void **state)
{
	static const char *const words[_SOURCE_MAX] = {
		[SOURCE_LOCKED] = "locked",
		[SOURCE_LOW_BATTERY] = "low-battery",
		[SOURCE_HOLD] = "hold",
		[SOURCE_OVERRIDE] = "override",
		[SOURCE_SOFT_HOLD] = "hold",
		[SOURCE_PROFILE] = "profile",
		[SOURCE_POWER_SOURCE] = "power-source",
		[SOURCE_CONFIG] = "config",
	};

	for (enum mode_source source = 0; source < _SOURCE_MAX; source++)
		assert_string_equal(source_to_string(source), words[source]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_in_rank_wins_and_the_next_lies_beneath),
		cmocka_unit_test(any_set_of_candidates_is_decided_by_rank_alone),
		cmocka_unit_test(degraded_performance_caps_what_nobody_chose),
		cmocka_unit_test(what_lies_beneath_is_capped_as_well),
		cmocka_unit_test(a_shorter_reason_leaves_nothing_of_a_longer_one),
		cmocka_unit_test(a_reason_is_cut_to_what_fits),
		cmocka_unit_test(sources_have_the_words_of_the_interface),
	};

	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
