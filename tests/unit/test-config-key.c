/* SPDX-License-Identifier: GPL-2.0-only */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "service/config-key.h"

/* Per key: values as they read when they are written again, and words that are none of its values. */
static const struct {
	const char *group, *name;
	const char *good[6];
	const char *bad[7];
} rows[] = {
	{ "Scheduler", "Mode", { "power", "performance" }, { "", "none", "Power", "turbo" } },
	{ "Scheduler", "Lock", { "none", "power", "balanced" }, { "", "no" } },
	{ "Scheduler", "Attach", { "yes", "no" }, { "", "1", "maybe", "yes no", "YES" } },
	{ "Scheduler", "OnConflict", { "wait", "fail" }, { "yes", "wai", "waits" } },
	{ "Scheduler", "DropCapabilities", { "no", "yes" }, { "0" } },
	{ "Restart",
	  "MinSec",
	  { "0", "1ms", "90s", "1h" },
	  { "-1", "61min", "1 s x", "x", "", "1e3" } },
	{ "Restart", "MaxSec", { "0", "1d" }, { "86401", "inf", "0x10" } },
	{ "Restart", "Limit", { "1", "100" }, { "0", "101", "1s", " 1", "+1", "1.5" } },
	{ "Restart", "WindowSec", { "1s", "1d" }, { "0", "999ms" } },
	{ "Restart", "StableSec", { "1s", "1d" }, { "0", "2d" } },
	{ "Restart", "BootLimit", { "1", "100" }, { "0", "18446744073709551617" } },
	{ "PowerProfiles", "Follow", { "no", "yes" }, { "true" } },
	{ "PowerProfiles", "PowerSaver", { "none", "performance" }, { "-" } },
	{ "PowerProfiles", "Balanced", { "none", "power" }, { "any" } },
	{ "PowerProfiles", "Performance", { "none", "power" }, { "max" } },
	{ "PowerProfiles", "Unknown", { "none", "power" }, { "unknown" } },
	{ "PowerProfiles", "OnDegraded", { "none", "balanced" }, { "yes" } },
	{ "PowerProfiles", "SettleMSec", { "0", "1ms", "1min" }, { "60001", "61s" } },
	{ "PowerProfiles", "Provide", { "auto", "no" }, { "yes" } },
	{ "Battery", "OnBattery", { "power", "none" }, { "low" } },
	{ "Battery", "OnAC", { "performance", "none" }, { "high" } },
	{ "Battery", "LowPercent", { "0", "100" }, { "101", "10%" } },
	{ "Battery", "LowMode", { "balanced", "none" }, { "off" } },
	{ "Battery", "Hysteresis", { "0", "50" }, { "51" } },
	{ "Override",
	  "Until",
	  { "released", "profile-change", "power-source-change", "reboot" },
	  { "profile", "profile-changed", "" } },
	{ "Override", "Persist", { "yes", "no" }, { "on" } },
	{ "Holds", "MaxPerUid", { "0", "1024" }, { "1025" } },
	{ "Holds", "Max", { "0", "4096" }, { "4097" } },
	{ "Holds", "MaxSec", { "1s", "365d" }, { "0", "366d" } },
	{ "Donation", "SelectCpu", { "mode", "no", "yes" }, { "auto", "" } },
	{ "Donation", "Enqueue", { "yes", "mode", "no" }, { "1" } },
	{ "Metrics", "TextFile", { "", "/var/lib/x.prom" }, { "x.prom", "./x" } },
	{ "Metrics", "IntervalSec", { "1s", "1d" }, { "0" } },
	{ "Log", "Level", { "error", "warning", "notice", "info", "debug" }, { "3", "err" } },
	{ "Log", "KeepExits", { "1", "256" }, { "0", "257" } },
};

enum { NR_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* A good value is written again as it was; nothing beside the key's member changes. */
static void check_good(const struct config_key *key, const char *text)
{
	struct config config = config_defaults(), before = config;
	char again[CONFIG_TEXT_BYTES];
	size_t end = key->offset + key->size;

	assert_int_equal(config_key_parse(key, text, &config), 0);
	assert_string_equal(config_key_format(key, &config, again, sizeof(again)), text);
	assert_memory_equal(&config, &before, key->offset);
	assert_memory_equal((char *)&config + end, (char *)&before + end, sizeof(config) - end);
}

static void check_bad(const struct config_key *key, const char *text)
{
	struct config config = config_defaults(), before = config;

	assert_true(config_key_parse(key, text, &config) < 0);
	assert_memory_equal(&config, &before, sizeof(config));
}

static void each_key_takes_its_values_and_no_others(void **state)
{
	for (unsigned i = 0; i < NR_ROWS; i++) {
		const struct config_key *key = config_key_find(rows[i].group, rows[i].name);

		print_message("# %s\n", rows[i].name);
		assert_ptr_equal(key, &config_keys[i]); /* none was forgotten */
		for (unsigned k = 0; k < 6 && rows[i].good[k]; k++)
			check_good(key, rows[i].good[k]);
		for (unsigned k = 0; k < 7 && rows[i].bad[k]; k++)
			check_bad(key, rows[i].bad[k]);
	}
	assert_int_equal(NR_ROWS, NR_CONFIG_KEYS);
}

static void each_default_is_one_of_the_values(void **state)
{
	for (unsigned i = 0; i < NR_CONFIG_KEYS; i++) {
		print_message("# %s\n", config_keys[i].name);
		check_good(&config_keys[i], config_keys[i].initial);
	}
}

/* The figures that others rely on, once by hand. */
static void the_defaults_are_these(void **state)
{
	const struct config config = config_defaults();

	assert_int_equal(config.wish.mode, DONOR_MODE_BALANCED);
	assert_false(config.lock.present);
	assert_true(config.attach.attach && config.attach.wait_for_other &&
		    config.attach.drop_capabilities);
	assert_int_equal(config.attach.min_us, 1000000);
	assert_int_equal(config.attach.max_us, 300000000);
	assert_int_equal(config.attach.limit, 3);
	assert_int_equal(config.attach.window_us, 600000000);
	assert_int_equal(config.attach.stable_us, 60000000);
	assert_int_equal(config.attach.boot_limit, 2);
	assert_int_equal(config.attach.keep_exits, 32);
	assert_true(config.automatic.follow && !config.automatic.provide);
	assert_int_equal(config.automatic.profiles[2].mode, DONOR_MODE_PERFORMANCE);
	assert_int_equal(config.automatic.settle_us, 500000);
	assert_int_equal(config.automatic.hysteresis_pct, 3);
	assert_int_equal(config.automatic.low_pct, 0);
	assert_int_equal(config.request.until, UNTIL_PROFILE_CHANGE);
	assert_int_equal(config.request.max_holds_per_uid, 16);
	assert_int_equal(config.request.max_holds, 128);
	assert_int_equal(config.request.max_hold_us, 86400000000);
	assert_int_equal(config.report.interval_us, 15000000);
	assert_int_equal(config.report.log_level, 6);
	assert_string_equal(config.report.text_file, "");
}

static void a_complaint_can_list_the_values(void **state)
{
	static const struct {
		const char *group, *name, *values;
	} lists[] = {
		{ "Scheduler", "Mode", "power, balanced or performance" },
		{ "Scheduler", "Lock", "power, balanced, performance or none" },
		{ "Scheduler", "Attach", "no or yes" },
		{ "Restart", "Limit", "a number from 1 to 100" },
		{ "PowerProfiles", "SettleMSec", "a time from 0 to 1min" },
		{ "Metrics", "TextFile", "an absolute path" },
	};
	char text[256];

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_string_equal(config_key_values(config_key_find(lists[i].group, lists[i].name),
						      text, sizeof(text)),
				    lists[i].values);
	assert_null(config_key_find("Scheduler", "Limit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_takes_its_values_and_no_others),
		cmocka_unit_test(each_default_is_one_of_the_values),
		cmocka_unit_test(the_defaults_are_these),
		cmocka_unit_test(a_complaint_can_list_the_values),
	};

	return cmocka_run_group_tests_name("config-key", tests, NULL, NULL);
}
