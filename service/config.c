/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * Reading donor.conf and its drop-ins. libeconf parses; which files, and what in them counts, is
 * decided here; what a value means, in config-key.c. libeconf's own directory walkers give up on
 * all files when one is damaged, so each file is read by itself.
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
#include "service/config-key.h"
#include "service/parameters.h"

/* By falling priority, and in the order of strcmp(): sort_dropins() relies on it. */
static const char *const directories[] = { "/etc/donor", "/run/donor", "/usr/lib/donor" };

enum { NR_DIRECTORIES = sizeof(directories) / sizeof(directories[0]) };

enum { CONFIG_VALUES_BYTES = 256 }; /* for a list of values in a warning */

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

/* A place in the file that is being read. */
static struct config_origin origin_at(const struct reader *reader, uint64_t line)
{
	return (struct config_origin){ reader->config->sources.nr_files, line };
}

static void set_key(struct reader *reader, const struct config_key *key, uint64_t line,
		    const char *text)
{
	char values[CONFIG_VALUES_BYTES];

	if (config_key_parse(key, text, reader->config) < 0)
		warn_at(reader, line, "%s=%s is not one of: %s; ignored", key->name, text,
			config_key_values(key, values, sizeof(values)));
	else
		reader->config->sources.keys[key - config_keys] = origin_at(reader, line);
}

static void set_knob(struct reader *reader, enum donor_mode mode, const struct knob *knob,
		     uint64_t line, const char *text)
{
	char values[CONFIG_VALUES_BYTES];
	__u64 value;

	if (knob_parse(knob, text, &value) < 0)
		return warn_at(reader, line, "%s=%s is not %s; ignored", knob->name, text,
			       knob_values(knob, values, sizeof(values)));
	tuning_set(&reader->config->wish.configured[mode], knob, value);
	reader->config->sources.knobs[mode][knob - knobs] = origin_at(reader, line);
}

/* What a name in a file stands for: a key, or a knob of a mode. */
struct target {
	const struct config_key *key;
	const struct knob *knob;
	enum donor_mode mode;
};

static bool target_find(const char *group, const char *name, struct target *ret)
{
	static const char prefix[] = "Mode.";
	struct target target = { .key = config_key_find(group, name) };

	if (strncmp(group, prefix, strlen(prefix)) == 0 &&
	    mode_from_string(group + strlen(prefix), &target.mode) >= 0)
		target.knob = knob_find(name);
	*ret = target;
	return target.key || target.knob;
}

static const char *target_values(const struct target *target, char *buf, size_t size)
{
	return target->key ? config_key_values(target->key, buf, size)
			   : knob_values(target->knob, buf, size);
}

static bool may_be_empty(const struct target *target)
{
	return target->key && target->key->type == CONFIG_PATH;
}

/*
 * libeconf takes a line without "=" for a further line of the value before it, and then gives the
 * number of that line. No value of ours has two lines: so it names the damaged one.
 */
static void read_key(struct reader *reader, econf_file *file, const char *group, const char *name)
{
	_cleanup_(econf_valuep) econf_ext_value *value = NULL;
	char values[CONFIG_VALUES_BYTES];
	struct target target;
	const char *text;

	if (econf_getExtValue(file, group, name, &value) != ECONF_SUCCESS)
		return;
	text = value->values ? value->values[0] : NULL;
	if (!target_find(group ?: "", name, &target))
		warn_at(reader, value->line_number, "unknown key %s in [%s], ignored", name,
			group ?: "");
	else if (!text && !may_be_empty(&target))
		warn_at(reader, value->line_number, "%s has no value (%s), ignored", name,
			target_values(&target, values, sizeof(values)));
	else if (text && value->values[1])
		warn_at(reader, value->line_number,
			"not a line of the form Key=value: '%s'; %s ignored", value->values[1],
			name);
	else if (target.key)
		set_key(reader, target.key, value->line_number, text ?: "");
	else
		set_knob(reader, target.mode, target.knob, value->line_number, text);
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

/* -errno or 0; with a warning if the file is there and cannot be used. */
static int open_file(struct reader *reader, const char *path, econf_file **ret)
{
	_cleanup_(freep) char *where = NULL;
	uint64_t line = 0;
	struct stat st;
	econf_err error;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		warn_at(reader, 0, "not a regular file, ignored");
		return -EINVAL;
	}
	error = econf_readFile(ret, path, "=", "#;");
	if (error == ECONF_SUCCESS)
		return 0;
	if (error == ECONF_NOFILE) { /* it is there: see the callers */
		warn_at(reader, 0, "cannot be read, ignored");
		return -EIO;
	}
	econf_errLocation(&where, &line);
	warn_at(reader, line, "%s, the whole file is ignored", econf_errString(error));
	return -EINVAL;
}

static bool is_switched_off(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISCHR(st.st_mode); /* a link to /dev/null */
}

static void read_file(struct reader *reader, const char *path)
{
	_cleanup_(econf_filep) econf_file *file = NULL;
	struct config_sources *sources = &reader->config->sources;

	if (is_switched_off(path))
		return;
	reader->path = path;
	if (sources->nr_files == CONFIG_MAX_FILES || strlen(path) >= CONFIG_PATH_BYTES) {
		sources->nr_ignored++;
		return warn_at(reader, 0, "more than %d files, or too long a name; ignored",
			       CONFIG_MAX_FILES);
	}
	if (open_file(reader, path, &file) < 0) {
		sources->nr_ignored++;
		return;
	}
	strcpy(sources->files[sources->nr_files++], path);
	read_groups(reader, file);
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
	struct config config = {};

	/* A line of the table whose default is none of its values does not get past the tests. */
	for (unsigned i = 0; i < NR_CONFIG_KEYS; i++)
		(void)config_key_parse(&config_keys[i], config_keys[i].initial, &config);
	return config;
}

static void take_back(struct config *config, enum donor_mode mode, const struct knob *knob)
{
	tuning_clear(&config->wish.configured[mode], knob);
	config->sources.knobs[mode][knob - knobs] = (struct config_origin){};
}

/* Values of [Mode.NAME] that are right by themselves and do not fit each other. */
static void check_modes(struct reader *reader)
{
	struct config *config = reader->config;
	const struct config_origin *origin, *other;
	enum donor_mode mode;
	struct knob_pair pair;

	while (wish_check(&config->wish, &mode, &pair) < 0) {
		origin = &config->sources.knobs[mode][pair.small - knobs];
		other = &config->sources.knobs[mode][pair.large - knobs];
		if (other->file > origin->file ||
		    (other->file == origin->file && other->line > origin->line))
			origin = other;
		reader->path = config->sources.files[origin->file - 1];
		warn_at(reader, origin->line, "in mode %s, %s would be above %s; both ignored",
			mode_to_string(mode), pair.small->name, pair.large->name);
		take_back(config, mode, pair.small);
		take_back(config, mode, pair.large);
	}
}

int config_read(const char *root, config_warn_t warn, void *userdata, struct config *ret)
{
	struct config config = config_defaults();
	struct reader reader = { .config = &config, .warn = warn, .userdata = userdata };
	int r;

	root = root ?: "";
	if (strlen(root) >= sizeof(config.sources.root))
		return -ENAMETOOLONG;
	strcpy(config.sources.root, root);
	r = read_main_file(&reader, root);
	if (r < 0)
		return r;
	r = read_dropins(&reader, root);
	if (r < 0)
		return r;
	check_modes(&reader);
	*ret = config;
	return 0;
}

const char *config_origin_format(const struct config *config, const struct config_origin *origin,
				 char *buf, size_t size)
{
	if (origin->file == 0)
		(void)snprintf(buf, size, "default");
	else
		(void)snprintf(buf, size, "%s:%u", config->sources.files[origin->file - 1],
			       origin->line);
	return buf;
}
