/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "service/cleanup.h"
#include "service/config-key.h"
#include "service/parameters.h"

enum { NR_FILES = 4, NR_WARNINGS = 8 };

struct file {
	const char *path; /* below the root */
	const char *text; /* NULL: a link to /dev/null */
};

struct result {
	struct config config;
	const char *root;
	char warnings[NR_WARNINGS][512]; /* without the root */
	unsigned nr_warnings;
};

static void keep_warning(void *userdata, const char *text)
{
	struct result *result = userdata;
	size_t length = strlen(result->root);

	assert_int_equal(strncmp(text, result->root, length), 0);
	if (result->nr_warnings < NR_WARNINGS)
		snprintf(result->warnings[result->nr_warnings], sizeof(result->warnings[0]), "%s",
			 text + length);
	result->nr_warnings++;
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void write_file(const char *root, const struct file *file)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file->path);
	make_parents(path);
	if (!file->text) {
		assert_int_equal(symlink("/dev/null", path), 0);
		return;
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(file->text, f);
	fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static struct result read_files(const struct file files[NR_FILES])
{
	char root[] = "/tmp/donor-config-XXXXXX";
	struct result result = { .root = mkdtemp(root) };

	assert_non_null(result.root);
	for (unsigned i = 0; i < NR_FILES && files[i].path; i++)
		write_file(root, &files[i]);
	assert_int_equal(config_read(root, keep_warning, &result, &result.config), 0);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return result;
}

#define MAIN_ETC "/etc/donor/donor.conf"
#define MAIN_RUN "/run/donor/donor.conf"
#define MAIN_LIB "/usr/lib/donor/donor.conf"
#define DROP_ETC "/etc/donor/donor.conf.d/"
#define DROP_RUN "/run/donor/donor.conf.d/"
#define DROP_LIB "/usr/lib/donor/donor.conf.d/"
#define POWER "[Scheduler]\nMode=power\n"
#define PERFORMANCE "[Scheduler]\nMode=performance\n"

static void nothing_at_all_gives_the_defaults(void **state)
{
	const struct file none[NR_FILES] = {};
	struct result result = read_files(none);

	assert_int_equal(result.config.wish.mode, DONOR_MODE_BALANCED);
	assert_true(result.config.attach.attach);
	assert_int_equal(result.config.wish.donation[DONOR_HOOK_SELECT_CPU], DONATION_FOLLOWS_MODE);
	assert_int_equal(result.config.wish.donation[DONOR_HOOK_ENQUEUE], DONATION_FOLLOWS_MODE);
	assert_int_equal(result.nr_warnings, 0);
}

static void every_key_arrives_where_it_belongs(void **state)
{
	const struct file files[NR_FILES] = {
		{ MAIN_ETC, "# text\n; text\n[Scheduler]\nMode = performance # why\nAttach=no\n\n"
			    "[Donation]\nSelectCpu=no\nEnqueue=yes\n" },
	};
	struct result result = read_files(files);

	assert_int_equal(result.nr_warnings, 0);
	assert_int_equal(result.config.wish.mode, DONOR_MODE_PERFORMANCE);
	assert_false(result.config.attach.attach);
	assert_int_equal(result.config.wish.donation[DONOR_HOOK_SELECT_CPU], DONATION_OFF);
	assert_int_equal(result.config.wish.donation[DONOR_HOOK_ENQUEUE], DONATION_ON);
}

static const struct {
	struct file files[NR_FILES];
	enum donor_mode mode;
} precedence[] = {
	{ { { MAIN_LIB, POWER } }, DONOR_MODE_POWER },
	{ { { MAIN_LIB, POWER }, { MAIN_RUN, PERFORMANCE } }, DONOR_MODE_PERFORMANCE },
	{ { { MAIN_RUN, PERFORMANCE }, { MAIN_ETC, POWER } }, DONOR_MODE_POWER },
	/* The first main file stands alone: what it leaves out is a default. */
	{ { { MAIN_LIB, POWER }, { MAIN_ETC, "[Scheduler]\nAttach=no\n" } }, DONOR_MODE_BALANCED },
	{ { { MAIN_LIB, POWER }, { MAIN_ETC, NULL } }, DONOR_MODE_BALANCED },
	/* A drop-in from anywhere wins over the main file from anywhere. */
	{ { { MAIN_ETC, POWER }, { DROP_LIB "a.conf", PERFORMANCE } }, DONOR_MODE_PERFORMANCE },
	/* Drop-ins by name, not by directory. */
	{ { { DROP_ETC "10-a.conf", POWER }, { DROP_LIB "20-b.conf", PERFORMANCE } },
	  DONOR_MODE_PERFORMANCE },
	{ { { DROP_ETC "20-b.conf", POWER }, { DROP_LIB "10-a.conf", PERFORMANCE } },
	  DONOR_MODE_POWER },
	/* Of one name: /etc, then /run, then /usr/lib, and only that one. */
	{ { { DROP_LIB "a.conf", PERFORMANCE }, { DROP_ETC "a.conf", POWER } }, DONOR_MODE_POWER },
	{ { { DROP_LIB "a.conf", PERFORMANCE }, { DROP_RUN "a.conf", POWER } }, DONOR_MODE_POWER },
	{ { { DROP_RUN "a.conf", PERFORMANCE }, { DROP_ETC "a.conf", POWER } }, DONOR_MODE_POWER },
	{ { { MAIN_LIB, POWER }, { DROP_LIB "a.conf", PERFORMANCE }, { DROP_ETC "a.conf", NULL } },
	  DONOR_MODE_POWER },
	{ { { MAIN_LIB, POWER }, { DROP_ETC "readme.txt", PERFORMANCE } }, DONOR_MODE_POWER },
};

static void the_file_that_should_win_wins(void **state)
{
	for (unsigned i = 0; i < sizeof(precedence) / sizeof(precedence[0]); i++) {
		struct result result = read_files(precedence[i].files);

		print_message("# row %u\n", i);
		assert_int_equal(result.config.wish.mode, precedence[i].mode);
		assert_int_equal(result.nr_warnings, 0);
	}
}

static const struct {
	const char *text;
	const char *place;
	const char *word;
	bool attach; /* whether Attach=no was still read */
} garbage[] = {
	{ "[Scheduler]\nAttach=no\nMode=fast\n", MAIN_ETC ":3: ", "Mode=fast", false },
	{ "[Scheduler]\nAttach=no\nMode=\n", MAIN_ETC ":3: ", "no value", false },
	{ "[Scheduler]\nAttach=no\nSpeed=9\n", MAIN_ETC ":3: ", "unknown key Speed", false },
	{ "[Scheduler]\nAttach=no\n[Schedule]\nMode=power\n",
	  MAIN_ETC ":4: ", "unknown key Mode in [Schedule]", false },
	{ "Mode=power\n[Scheduler]\nAttach=no\n", MAIN_ETC ":1: ", "unknown key Mode in []", false },
	{ "[Scheduler]\nAttach=no\n[Donation]\nEnqueue=1\n", MAIN_ETC ":4: ", "Enqueue=1", false },
	{ "[Scheduler]\nAttach=no\nMode=power\nwhat is this\n", MAIN_ETC ":4: ", "what is this",
	  false },
	{ "[Scheduler]\nAttach=no\n[Donation\nEnqueue=no\n",
	  MAIN_ETC ":3: ", "whole file is ignored", true },
	{ "[Scheduler]\nAttach=maybe\n", MAIN_ETC ":2: ", "no or yes", true },
	{ "[Scheduler] x\nAttach=no\n", MAIN_ETC ":1: ", "whole file is ignored", true },
};

/* One damaged line: a warning that leads there, the default, and all other keys in force. */
static void garbage_costs_its_own_key_and_is_named_by_file_and_line(void **state)
{
	for (unsigned i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		const struct file files[NR_FILES] = { { MAIN_ETC, garbage[i].text } };
		struct result result = read_files(files);

		print_message("# row %u: %s\n", i, result.warnings[0]);
		assert_int_equal(result.nr_warnings, 1);
		assert_ptr_equal(strstr(result.warnings[0], garbage[i].place), result.warnings[0]);
		assert_non_null(strstr(result.warnings[0], garbage[i].word));
		assert_int_equal(result.config.wish.mode, DONOR_MODE_BALANCED);
		assert_int_equal(result.config.attach.attach, garbage[i].attach);
	}
}

static void a_damaged_file_takes_no_other_with_it(void **state)
{
	const struct file files[NR_FILES] = {
		{ MAIN_LIB, POWER },
		{ DROP_ETC "10-bad.conf", "[Scheduler\nMode=performance\n" },
		{ DROP_ETC "20-good.conf", "[Scheduler]\nAttach=no\n" },
	};
	struct result result = read_files(files);

	assert_int_equal(result.nr_warnings, 1);
	assert_non_null(strstr(result.warnings[0], "10-bad.conf:1: "));
	assert_int_equal(result.config.wish.mode, DONOR_MODE_POWER);
	assert_false(result.config.attach.attach);
}

/* How many warnings noise is worth is libeconf's affair; a directory is worth one. */
static void noise_and_a_directory_are_survived(void **state)
{
	static const char letters[] = "\n\n=[]#;\\\" \tMode\001\377\200Scheduler";
	char noise[4096];
	unsigned seed = 1;

	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < sizeof(noise) - 1; i++)
			noise[i] = letters[rand_r(&seed) % (sizeof(letters) - 1)];
		noise[sizeof(noise) - 1] = '\0';
		const struct file files[NR_FILES] = {
			{ DROP_ETC "10-noise.conf", noise },
			{ DROP_ETC "20-directory.conf/file", "" },
			{ DROP_ETC "30-good.conf", POWER },
		};
		struct result result = read_files(files);

		assert_true(result.nr_warnings >= 2);
		assert_int_equal(result.config.wish.mode, DONOR_MODE_POWER);
	}
}

/* What is installed must be what the code does without it, and name every key. */
static void the_installed_file_says_nothing_but_the_defaults(void **state)
{
	const struct config defaults = config_defaults();
	char text[16384], *at = text;
	FILE *f = fopen(DONOR_DEFAULT_CONFIG, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	while ((at = strstr(at, "\n#")) && at[2]) {
		/* "#Key=value" is a key commented out, "# text" is text. */
		if (at[2] != ' ' && at[2] != '\n')
			at[1] = ' ';
		at += 2;
	}
	*strstr(text, "\n [Mode.performance]") = '\0'; /* an example, not a default */
	const struct file files[NR_FILES] = { { MAIN_LIB, text } };
	struct result result = read_files(files);

	assert_int_equal(result.nr_warnings, 0);
	assert_memory_equal(&result.config, &defaults, offsetof(struct config, sources));
	for (unsigned i = 0; i < NR_CONFIG_KEYS; i++) {
		print_message("# %s\n", config_keys[i].name);
		assert_int_equal(result.config.sources.keys[i].file, 1);
	}
}

static void check_origin(const struct result *result, const struct config_origin *origin,
			 const char *wanted)
{
	char text[512];

	config_origin_format(&result->config, origin, text, sizeof(text));
	assert_string_equal(origin->file ? text + strlen(result->root) : text, wanted);
}

static void each_value_knows_the_line_that_it_came_from(void **state)
{
	const struct file files[NR_FILES] = {
		{ MAIN_ETC, "[Scheduler]\nMode=power\nAttach=no\nOnConflict=perhaps\n" },
		{ DROP_LIB "10-a.conf", "[Mode.power]\n\nslice_max_ns=2ms\n[Scheduler]\n"
					"Mode=balanced\n" },
		{ DROP_ETC "10-b.conf", NULL },
	};
	struct result result = read_files(files);
	const struct config_sources *sources = &result.config.sources;

	assert_int_equal(sources->nr_files, 2);
	assert_int_equal(sources->nr_ignored, 0);
	check_origin(&result, &sources->keys[config_key_find("Scheduler", "Mode") - config_keys],
		     DROP_LIB "10-a.conf:5");
	check_origin(&result, &sources->keys[config_key_find("Scheduler", "Attach") - config_keys],
		     MAIN_ETC ":3");
	check_origin(&result,
		     &sources->keys[config_key_find("Scheduler", "OnConflict") - config_keys],
		     "default");
	check_origin(&result, &sources->knobs[DONOR_MODE_POWER][knob_find("slice_max_ns") - knobs],
		     DROP_LIB "10-a.conf:3");
	check_origin(&result,
		     &sources->knobs[DONOR_MODE_BALANCED][knob_find("slice_max_ns") - knobs],
		     "default");
}

static const struct {
	const char *text;
	const char *word; /* of the warning; NULL: none */
	uint64_t slice_min_ns, slice_max_ns; /* in mode power */
} tuned[] = {
	{ "[Mode.power]\nslice_min_ns=2000000\n", NULL, 2000000, 8000000 },
	{ "[Mode.power]\nslice_min_ns=2ms\nslice_max_ns=3ms\n", NULL, 2000000, 3000000 },
	{ "[Mode.power-saver]\nslice_min_ns=2ms\n", NULL, 2000000, 8000000 },
	{ "[Mode.balanced]\nslice_min_ns=2ms\n", NULL, 1000000, 8000000 },
	{ "[Mode.fast]\nslice_min_ns=2ms\n", "unknown key slice_min_ns in [Mode.fast]", 1000000,
	  8000000 },
	{ "[Mode.power]\nslice=2ms\n", "unknown key slice in [Mode.power]", 1000000, 8000000 },
	{ "[Mode.power]\nslice_min_ns=99999\n", "a number from 100000 to 20000000 (ns)", 1000000,
	  8000000 },
	{ "[Mode.power]\nslice_min_ns=fast\n", "slice_min_ns=fast", 1000000, 8000000 },
	{ "[Mode.power]\nslice_min_ns=\n", "no value", 1000000, 8000000 },
	{ "[Mode.power]\nsteal=2\n", "steal=2 is not 0 or 1", 1000000, 8000000 },
	/* right by themselves, and wrong together */
	{ "[Mode.power]\nslice_min_ns=5ms\nslice_max_ns=4ms\n",
	  ":3: in mode power, slice_min_ns would be above slice_max_ns", 1000000, 8000000 },
	{ "[Mode.power]\nslice_min_ns=9ms\n", ":2: in mode power, slice_min_ns", 1000000, 8000000 },
	{ "[Mode.power]\ndebt_max_ns=1ms\nslice_min_ns=2ms\n", ":2: in mode power, slice_max_ns",
	  2000000, 8000000 },
};

static void the_parameters_of_a_mode_are_read_and_checked(void **state)
{
	for (unsigned i = 0; i < sizeof(tuned) / sizeof(tuned[0]); i++) {
		const struct file files[NR_FILES] = { { MAIN_ETC, tuned[i].text } };
		struct result result = read_files(files);
		const struct donor_params params =
			wish_to_mode_params(&result.config.wish, DONOR_MODE_POWER);

		print_message("# row %u: %s\n", i, result.warnings[0]);
		assert_int_equal(result.nr_warnings, tuned[i].word != NULL);
		if (tuned[i].word)
			assert_non_null(strstr(result.warnings[0], tuned[i].word));
		assert_int_equal(params.slice_min_ns, tuned[i].slice_min_ns);
		assert_int_equal(params.slice_max_ns, tuned[i].slice_max_ns);
	}
}

static void what_cannot_be_read_is_counted(void **state)
{
	const struct file files[NR_FILES] = {
		{ MAIN_ETC, "[Scheduler\n" },
		{ DROP_ETC "10-a.conf/file", "" },
		{ DROP_ETC "20-b.conf", POWER },
	};
	struct result result = read_files(files);

	assert_int_equal(result.nr_warnings, 2);
	assert_int_equal(result.config.sources.nr_ignored, 2);
	assert_int_equal(result.config.sources.nr_files, 1);
}

static void too_many_files_are_said(void **state)
{
	struct file files[40] = {};
	char paths[40][64];
	char root[] = "/tmp/donor-config-XXXXXX";
	struct result result = { .root = mkdtemp(root) };

	for (unsigned i = 0; i < 40; i++) {
		snprintf(paths[i], sizeof(paths[i]), DROP_ETC "%02u.conf", i);
		files[i] = (struct file){ paths[i], i == 31 ? POWER : PERFORMANCE };
		write_file(root, &files[i]);
	}
	assert_int_equal(config_read(root, keep_warning, &result, &result.config), 0);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(result.nr_warnings, 8);
	assert_non_null(strstr(result.warnings[0], "32.conf: more than 32 files"));
	assert_int_equal(result.config.sources.nr_files, 32);
	assert_int_equal(result.config.wish.mode, DONOR_MODE_POWER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_at_all_gives_the_defaults),
		cmocka_unit_test(every_key_arrives_where_it_belongs),
		cmocka_unit_test(the_file_that_should_win_wins),
		cmocka_unit_test(garbage_costs_its_own_key_and_is_named_by_file_and_line),
		cmocka_unit_test(a_damaged_file_takes_no_other_with_it),
		cmocka_unit_test(noise_and_a_directory_are_survived),
		cmocka_unit_test(the_installed_file_says_nothing_but_the_defaults),
		cmocka_unit_test(each_value_knows_the_line_that_it_came_from),
		cmocka_unit_test(the_parameters_of_a_mode_are_read_and_checked),
		cmocka_unit_test(what_cannot_be_read_is_counted),
		cmocka_unit_test(too_many_files_are_said),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
