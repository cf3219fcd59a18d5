/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * libeconf parses; which files, and what their values mean, is decided here. Its own directory
 * walkers give up on all files when one is damaged, so each file is read by itself.
 */

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <libeconf.h>
#include <libeconf_ext.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "service/cleanup.h"
#include "service/config.h"
#include "service/log.h"

#define SECOND_US 1000000ULL

/* By falling priority, and in the order of strcmp(): sort_dropins() relies on it. */
static const char *const directories[] = { "/etc/donor", "/run/donor", "/usr/lib/donor" };

enum { NR_DIRECTORIES = sizeof(directories) / sizeof(directories[0]) };

struct reader {
	struct config *config;
	config_warn_t warn;
	void *userdata;
	const char *path; /* of the file that is being read */
};

static inline void econf_filep(econf_file **file)
{
	if (*file)
		econf_freeFile(*file);
}

static inline void econf_valuep(econf_ext_value **value)
{
	if (*value)
		econf_freeExtValue(*value);
}

static inline void econf_arrayp(char ***array)
{
	if (*array)
		econf_freeArray(*array);
}

static void __attribute__((format(printf, 3, 4))) warn_at(const struct reader *reader,
							  uint64_t line, const char *format, ...)
{
	char what[512], text[1024], number[24] = "";
	va_list args;

	va_start(args, format);
	(void)vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (line > 0)
		(void)snprintf(number, sizeof(number), ":%" PRIu64, line);
	(void)snprintf(text, sizeof(text), "%s%s: %s", reader->path, number, what);
	if (reader->warn)
		reader->warn(reader->userdata, text);
}

static int parse_mode(struct config *config, const char *value)
{
	return mode_from_string(value, &config->wish.mode);
}

static int parse_bool(const char *value, bool *ret)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return -EINVAL;
	*ret = value[0] == 'y';
	return 0;
}

static int parse_attach(struct config *config, const char *value)
{
	return parse_bool(value, &config->attach.attach);
}

static int parse_donation(const char *value, enum donation_choice *ret)
{
	bool on;

	if (strcmp(value, "mode") == 0)
		*ret = DONATION_FOLLOWS_MODE;
	else if (parse_bool(value, &on) == 0)
		*ret = on ? DONATION_ON : DONATION_OFF;
	else
		return -EINVAL;
	return 0;
}

static int parse_select_cpu(struct config *config, const char *value)
{
	return parse_donation(value, &config->wish.donation[DONOR_HOOK_SELECT_CPU]);
}

static int parse_enqueue(struct config *config, const char *value)
{
	return parse_donation(value, &config->wish.donation[DONOR_HOOK_ENQUEUE]);
}

static const struct key {
	const char *group;
	const char *name;
	int (*parse)(struct config *config, const char *value);
	const char *values;
} keys[] = {
	{ "Scheduler", "Mode", parse_mode, "power, balanced or performance" },
	{ "Scheduler", "Attach", parse_attach, "yes or no" },
	{ "Donation", "SelectCpu", parse_select_cpu, "mode, yes or no" },
	{ "Donation", "Enqueue", parse_enqueue, "mode, yes or no" },
};

static const struct key *key_find(const char *group, const char *name)
{
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i].group, group) == 0 && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

/*
 * libeconf takes a line without "=" for a further line of the value before it, and then gives the
 * number of that line. No value of ours has two lines: so it names the damaged one.
 */
static void read_key(struct reader *reader, econf_file *file, const char *group, const char *name)
{
	_cleanup_(econf_valuep) econf_ext_value *value = NULL;
	const struct key *key = key_find(group ?: "", name);

	if (econf_getExtValue(file, group, name, &value) != ECONF_SUCCESS)
		return;
	if (!key)
		warn_at(reader, value->line_number, "unknown key %s in [%s], ignored", name,
			group ?: "");
	else if (!value->values || !value->values[0])
		warn_at(reader, value->line_number, "%s has no value (%s), ignored", name,
			key->values);
	else if (value->values[1])
		warn_at(reader, value->line_number,
			"not a line of the form Key=value: '%s'; %s ignored", value->values[1],
			name);
	else if (key->parse(reader->config, value->values[0]) < 0)
		warn_at(reader, value->line_number, "%s=%s is not one of %s, ignored", name,
			value->values[0], key->values);
}

static void read_group(struct reader *reader, econf_file *file, const char *group)
{
	_cleanup_(econf_arrayp) char **names = NULL;
	size_t nr_names = 0;

	if (econf_getKeys(file, group, &nr_names, &names) != ECONF_SUCCESS)
		return;
	for (size_t i = 0; i < nr_names; i++)
		read_key(reader, file, group, names[i]);
}

static void read_groups(struct reader *reader, econf_file *file)
{
	_cleanup_(econf_arrayp) char **groups = NULL;
	size_t nr_groups = 0;

	read_group(reader, file, NULL); /* what stands before the first [Group] */
	if (econf_getGroups(file, &nr_groups, &groups) != ECONF_SUCCESS)
		return;
	for (size_t i = 0; i < nr_groups; i++)
		read_group(reader, file, groups[i]);
}

static void read_file(struct reader *reader, const char *path)
{
	_cleanup_(econf_filep) econf_file *file = NULL;
	_cleanup_(freep) char *where = NULL;
	uint64_t line = 0;
	struct stat st;
	econf_err error;

	reader->path = path;
	if (stat(path, &st) == 0 && S_ISCHR(st.st_mode))
		return; /* a link to /dev/null is the usual way to switch a vendor's file off */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return warn_at(reader, 0, "not a regular file, ignored");
	error = econf_readFile(&file, path, "=", "#;");
	if (error == ECONF_SUCCESS)
		return read_groups(reader, file);
	if (error == ECONF_NOFILE) /* it is there: see the callers */
		return warn_at(reader, 0, "cannot be read, ignored");
	econf_errLocation(&where, &line);
	warn_at(reader, line, "%s, the whole file is ignored", econf_errString(error));
}

static int read_main_file(struct reader *reader, const char *root)
{
	for (unsigned i = 0; i < NR_DIRECTORIES; i++) {
		_cleanup_(freep) char *path = NULL;

		if (asprintf(&path, "%s%s/donor.conf", root, directories[i]) < 0)
			return -ENOMEM;
		if (access(path, F_OK) < 0)
			continue;
		read_file(reader, path);
		break;
	}
	return 0;
}

static const char *file_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int compare_dropins(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	return strcmp(file_name(x), file_name(y)) ?: strcmp(x, y);
}

/* All of them; none at all is no error. */
static int find_dropins(const char *root, glob_t *ret)
{
	for (unsigned i = 0; i < NR_DIRECTORIES; i++) {
		_cleanup_(freep) char *pattern = NULL;

		if (asprintf(&pattern, "%s%s/donor.conf.d/*.conf", root, directories[i]) < 0)
			return -ENOMEM;
		if (glob(pattern, i ? GLOB_APPEND : 0, NULL, ret) == GLOB_NOSPACE)
			return -ENOMEM;
	}
	return 0;
}

static int read_dropins(struct reader *reader, const char *root)
{
	_cleanup_(globfree) glob_t found = {};
	int r;

	r = find_dropins(root, &found);
	if (r < 0)
		return r;
	if (found.gl_pathc > 0)
		qsort(found.gl_pathv, found.gl_pathc, sizeof(char *), compare_dropins);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];

		if (i > 0 && strcmp(file_name(path), file_name(found.gl_pathv[i - 1])) == 0)
			continue; /* the file of that name in a directory before this one wins */
		read_file(reader, path);
	}
	return 0;
}

struct config config_defaults(void)
{
	return (struct config){
		.wish.mode = DONOR_MODE_BALANCED,
		.attach = {
			.attach = true,
			.wait_for_other = true,
			.drop_capabilities = true,
			.min_us = 1 * SECOND_US,
			.max_us = 300 * SECOND_US,
			.limit = 3,
			.window_us = 600 * SECOND_US,
			.stable_us = 60 * SECOND_US,
			.boot_limit = 2,
			.keep_exits = 32,
		},
		.automatic = {
			.follow = true,
			.profiles = { { true, DONOR_MODE_POWER },
				      { true, DONOR_MODE_BALANCED },
				      { true, DONOR_MODE_PERFORMANCE } },
			.unknown = { true, DONOR_MODE_BALANCED },
			.settle_us = SECOND_US / 2,
			.low = { true, DONOR_MODE_POWER },
			.hysteresis_pct = 3,
		},
		.request = {
			.until = UNTIL_PROFILE_CHANGE,
			.max_holds_per_uid = 16,
			.max_holds = 128,
			.max_hold_us = 86400 * SECOND_US,
		},
		.report = {
			.interval_us = 15 * SECOND_US,
			.log_level = LOG_LEVEL_INFO,
		},
	};
}

int config_read(const char *root, config_warn_t warn, void *userdata, struct config *ret)
{
	struct config config = config_defaults();
	struct reader reader = { .config = &config, .warn = warn, .userdata = userdata };
	int r;

	r = read_main_file(&reader, root ?: "");
	if (r < 0)
		return r;
	r = read_dropins(&reader, root ?: "");
	if (r < 0)
		return r;
	*ret = config;
	return 0;
}
