/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/automatic.h"
#include "service/offer.h"

/* Every mode twice, and none where the defaults have one. */
static struct automatic_config config_for_tests(void)
{
	struct automatic_config config = config_defaults().automatic;

	config.profiles[1] = (struct mode_choice){ true, DONOR_MODE_PERFORMANCE };
	config.profiles[2] = (struct mode_choice){ false, 0 };
	config.unknown = (struct mode_choice){ true, DONOR_MODE_POWER };
	config.on_battery = (struct mode_choice){ true, DONOR_MODE_POWER };
	config.low = (struct mode_choice){ true, DONOR_MODE_POWER };
	config.low_pct = 20;
	config.hysteresis_pct = 3;
	return config;
}

static void a_profile_becomes_the_mode_that_the_configuration_gives_it(void **state)
{
	static const struct {
		const char *profile;
		bool follow, is_provided, expect_present;
		enum donor_mode expect_mode;
	} rows[] = {
		{ "power-saver", true, true, true, DONOR_MODE_POWER },
		{ "balanced", true, true, true, DONOR_MODE_PERFORMANCE },
		{ "performance", true, true, false, 0 },
		{ "unknown", true, true, true, DONOR_MODE_POWER },
		{ "Balanced", true, true, true, DONOR_MODE_POWER },
		{ "", true, true, false, 0 },
		{ "balanced", false, true, false, 0 },
		{ "balanced", true, false, false, 0 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct automatic_config config = config_for_tests();
		struct profile_state provided = { .version = "0.30" };
		struct mode_candidate candidate;

		config.follow = rows[i].follow;
		provided.provider = rows[i].is_provided ? "org.example" : NULL;
		(void)snprintf(provided.profile, sizeof(provided.profile), "%s", rows[i].profile);
		profile_candidate(&config, &provided, &candidate);
		assert_int_equal(candidate.present, rows[i].expect_present);
		if (!candidate.present)
			continue;
		assert_int_equal(candidate.mode, rows[i].expect_mode);
		assert_non_null(strstr(candidate.reason, rows[i].profile));
		assert_non_null(strstr(candidate.reason, "org.example 0.30"));
	}
}

static void degraded_performance_caps_where_the_configuration_says_so(void **state)
{
	static const struct {
		const char *degraded;
		bool follow, is_configured, expect;
	} rows[] = {
		{ "", true, true, false },
		{ "lap-detected", true, true, true },
		{ "lap-detected,high-operating-temperature", true, true, true },
		{ "lap-detected", true, false, false },
		{ "lap-detected", false, true, false },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct automatic_config config = config_for_tests();
		struct profile_state provided = { .provider = "org.example" };
		struct mode_inputs inputs = {};

		config.follow = rows[i].follow;
		config.on_degraded =
			(struct mode_choice){ rows[i].is_configured, DONOR_MODE_BALANCED };
		(void)snprintf(provided.degraded, sizeof(provided.degraded), "%s", rows[i].degraded);
		profile_cap(&config, &provided, &inputs);
		assert_int_equal(inputs.is_degraded, rows[i].expect);
		if (!inputs.is_degraded)
			continue;
		assert_int_equal(inputs.degraded_mode, DONOR_MODE_BALANCED);
		assert_non_null(strstr(inputs.degraded_reason, rows[i].degraded));
	}
}

static void the_power_source_has_a_say_where_the_configuration_gives_it_one(void **state)
{
	const struct automatic_config config = config_for_tests();
	struct battery_state source = { .is_known = true, .on_battery = true };
	struct mode_candidate candidate;

	battery_candidate(&config, &source, &candidate);
	assert_true(candidate.present);
	assert_int_equal(candidate.mode, DONOR_MODE_POWER);
	assert_non_null(strstr(candidate.reason, "on battery"));
	source.on_battery = false; /* OnAC= is not set */
	battery_candidate(&config, &source, &candidate);
	assert_false(candidate.present);
	source = (struct battery_state){ .on_battery = true };
	battery_candidate(&config, &source, &candidate);
	assert_false(candidate.present);
}

/* Down to the threshold, up to three percent above it, down again; the mains; no battery. */
static void a_low_battery_has_hysteresis(void **state)
{
	static const struct {
		struct battery_state now;
		bool expect;
	} rows[] = {
		{ { true, true, true, 21 }, false },   { { true, true, true, 20.1 }, false },
		{ { true, true, true, 20 }, true },    { { true, true, true, 21 }, true },
		{ { true, true, true, 22.9 }, true },  { { true, true, true, 23 }, false },
		{ { true, true, true, 22.9 }, false }, { { true, true, true, 5 }, true },
		{ { true, false, true, 5 }, false },   { { true, true, true, 21 }, false },
		{ { true, true, true, 5 }, true },     { { true, true, false, 0 }, false },
		{ { true, true, true, 5 }, true },     { { false, true, true, 5 }, false },
	};
	struct automatic_config config = config_for_tests();
	struct mode_candidate candidate;
	bool is_low = false;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		is_low = battery_is_low(&config, &rows[i].now, is_low);
		assert_int_equal(is_low, rows[i].expect);
	}
	battery_low_candidate(&config, true, &candidate);
	assert_true(candidate.present);
	assert_int_equal(candidate.mode, DONOR_MODE_POWER);
	assert_non_null(strstr(candidate.reason, "20 %"));
	battery_low_candidate(&config, false, &candidate);
	assert_false(candidate.present);
	config.low_pct = 0;
	assert_false(battery_is_low(&config, &(struct battery_state){ true, true, true, 0 }, true));
}

/* What a battery on the mains, and one with a provider, lead to; others' candidates stay. */
static void the_sources_have_their_own_candidates(void **state)
{
	const struct automatic_config config = config_for_tests();
	struct automatic_news news = { .battery = { true, true, true, 50 } };
	struct mode_inputs inputs = {};

	inputs.candidates[SOURCE_CONFIG] = mode_candidate(DONOR_MODE_BALANCED, "config");
	inputs.candidates[SOURCE_OVERRIDE] = mode_candidate(DONOR_MODE_BALANCED, "a person");
	automatic_inputs(&config, &news, &inputs);
	assert_true(inputs.candidates[SOURCE_POWER_SOURCE].present);
	assert_int_equal(automatic_mode(&inputs), DONOR_MODE_POWER);
	assert_int_equal(resolve(&inputs).in_force.mode, DONOR_MODE_BALANCED);

	news.profile = (struct profile_state){ .provider = "donor", .profile = "balanced" };
	news.profile.is_idle = true; /* offered, and nobody has chosen one */
	automatic_inputs(&config, &news, &inputs);
	assert_true(inputs.candidates[SOURCE_POWER_SOURCE].present);
	assert_false(inputs.candidates[SOURCE_PROFILE].present);

	news.profile.is_idle = false;
	automatic_inputs(&config, &news, &inputs);
	assert_false(inputs.candidates[SOURCE_POWER_SOURCE].present);
	assert_true(inputs.candidates[SOURCE_PROFILE].present);
	assert_int_equal(automatic_mode(&inputs), DONOR_MODE_PERFORMANCE);

	news.is_low = true;
	automatic_inputs(&config, &news, &inputs);
	assert_int_equal(automatic_mode(&inputs), DONOR_MODE_POWER);
	assert_int_equal(resolve(&inputs).in_force.source, SOURCE_LOW_BATTERY);

	news = (struct automatic_news){};
	automatic_inputs(&config, &news, &inputs);
	assert_int_equal(automatic_mode(&inputs), DONOR_MODE_BALANCED);
	assert_true(inputs.candidates[SOURCE_OVERRIDE].present);
}

static struct offer_hold *hold_new(struct offer *offer, uid_t uid, unsigned profile, int result)
{
	const struct request_config limits = { .max_holds_per_uid = 2, .max_holds = 3 };
	struct offer_hold *hold = NULL;

	assert_int_equal(offer_hold_new(offer, &limits, uid, profile, &hold), result);
	return hold;
}

static void of_what_is_offered_power_saver_is_the_strongest_hold(void **state)
{
	struct offer offer = {};
	struct offer_hold *saver, *performance;
	unsigned active = 7;

	assert_false(offer_active(&offer, &active));
	assert_int_equal(active, 7);
	performance = hold_new(&offer, 1000, 2, 0);
	assert_true(offer_active(&offer, &active));
	assert_int_equal(active, 2);
	saver = hold_new(&offer, 1000, 0, 0);
	assert_true(offer_active(&offer, &active));
	assert_int_equal(active, 0);
	offer = (struct offer){ .is_chosen = true, .chosen = 1, .holds = offer.holds };
	assert_true(offer_active(&offer, &active));
	assert_int_equal(active, 0);
	offer_hold_free(&offer, saver);
	assert_true(offer_active(&offer, &active));
	assert_int_equal(active, 2);
	offer_hold_free(&offer, performance);
	assert_true(offer_active(&offer, &active));
	assert_int_equal(active, 1);
}

static void holds_have_limits_and_cookies(void **state)
{
	struct offer offer = {};
	struct offer_hold *first = hold_new(&offer, 1000, 0, 0),
			  *second = hold_new(&offer, 1000, 0, 0);

	assert_int_not_equal(first->cookie, second->cookie);
	assert_int_not_equal(first->cookie, 0);
	(void)hold_new(&offer, 1000, 0, -EUSERS);
	(void)hold_new(&offer, 1001, 0, 0);
	(void)hold_new(&offer, 1002, 0, -EUSERS);
	assert_ptr_equal(offer_hold_find(&offer, first->cookie), first);
	offer_hold_free(&offer, second); /* between the two others */
	assert_ptr_equal(offer_hold_find(&offer, first->cookie), first);
	assert_null(offer_hold_find(&offer, 0));
	while (offer.holds)
		offer_hold_free(&offer, offer.holds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_becomes_the_mode_that_the_configuration_gives_it),
		cmocka_unit_test(degraded_performance_caps_where_the_configuration_says_so),
		cmocka_unit_test(the_power_source_has_a_say_where_the_configuration_gives_it_one),
		cmocka_unit_test(a_low_battery_has_hysteresis),
		cmocka_unit_test(the_sources_have_their_own_candidates),
		cmocka_unit_test(of_what_is_offered_power_saver_is_the_strongest_hold),
		cmocka_unit_test(holds_have_limits_and_cookies),
	};

	return cmocka_run_group_tests_name("automatic", tests, NULL, NULL);
}
