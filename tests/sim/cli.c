/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of donor-sim. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/option-words.h"
#include "service/duration.h"
#include "client/exit-status.h"
#include "client/text.h"
#include "service/mode.h"
#include "tests/sim/cli.h"

enum {
	ARGUMENT_SEEDS = 256, /* above every letter */
	ARGUMENT_SEED,
	ARGUMENT_SCALE,
	ARGUMENT_DURATION,
	ARGUMENT_HZ,
	ARGUMENT_NO_SMT_SHARING,
	ARGUMENT_INTERLEAVE,
	ARGUMENT_MODE,
	ARGUMENT_SET,
	ARGUMENT_JSON,
	ARGUMENT_NO_LEGEND,
	ARGUMENT_TRACE,
	ARGUMENT_VERSION,

	MOST_SEEDS = 10000,
	MOST_SCALE = 1000000,
	LEAST_HZ = 24,
	MOST_HZ = 10000,
};

static const char letters[] = ":m:w:b:p:lh";

/* clang-format off */ /* one option per line reads as a table */
static const struct option table[] = {
	{ "machine", required_argument, NULL, 'm' },
	{ "workload", required_argument, NULL, 'w' },
	{ "background", required_argument, NULL, 'b' },
	{ "policy", required_argument, NULL, 'p' },
	{ "list", no_argument, NULL, 'l' },
	{ "seeds", required_argument, NULL, ARGUMENT_SEEDS },
	{ "seed", required_argument, NULL, ARGUMENT_SEED },
	{ "scale", required_argument, NULL, ARGUMENT_SCALE },
	{ "duration", required_argument, NULL, ARGUMENT_DURATION },
	{ "hz", required_argument, NULL, ARGUMENT_HZ },
	{ "no-smt-sharing", no_argument, NULL, ARGUMENT_NO_SMT_SHARING },
	{ "interleave", no_argument, NULL, ARGUMENT_INTERLEAVE },
	{ "mode", required_argument, NULL, ARGUMENT_MODE },
	{ "set", required_argument, NULL, ARGUMENT_SET },
	{ "json", optional_argument, NULL, ARGUMENT_JSON },
	{ "no-legend", no_argument, NULL, ARGUMENT_NO_LEGEND },
	{ "trace", required_argument, NULL, ARGUMENT_TRACE },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, ARGUMENT_VERSION },
	{ NULL, 0, NULL, 0 },
};
/* clang-format on */

/* What can be checked only when all is read. */
struct pending {
	const char *mode;
	unsigned nr_settings;
	char *settings[MOST_SETTINGS];
};

/* What: "--seeds", or a parameter. */
static int parse_count(const char *what, const char *text, __u64 least, __u64 most, __u64 *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *ret >= least && *ret <= most)
		return 0;
	complain("%s cannot be '%s'; give a whole number from %llu to %llu", what, safe(text),
		 least, most);
	return STATUS_USAGE;
}

static int parse_u32(const char *what, const char *text, __u32 least, __u32 most, __u32 *ret)
{
	__u64 number;
	int r = parse_count(what, text, least, most, &number);

	if (!r)
		*ret = (__u32)number;
	return r;
}

static int parse_duration(const char *text, __u64 *ret_ns)
{
	uint64_t usec;

	if (duration_parse(text, &usec) >= 0 && usec) {
		*ret_ns = usec * 1000;
		return 0;
	}
	complain("--duration cannot be '%s'; give a time up to a year, such as 5, 0.5, 500ms or "
		 "2min",
		 safe(text));
	return STATUS_USAGE;
}

static int parse_json(const char *style, struct options *print)
{
	static const char *const styles[] = { "pretty", "short", "off", NULL };

	if (!style)
		print->json = isatty(STDOUT_FILENO) ? JSON_PRETTY : JSON_SHORT;
	else if (!strcmp(style, "pretty"))
		print->json = JSON_PRETTY;
	else if (!strcmp(style, "short"))
		print->json = JSON_SHORT;
	else if (!strcmp(style, "off"))
		print->json = JSON_OFF;
	else
		return complain_choice("style of JSON", style, styles);
	return 0;
}

static int add_name(struct name_list *list, const char *option, const char *name)
{
	if (list->nr == MOST_NAMES) {
		complain("--%s is given more than %d times; leave some out", option, MOST_NAMES);
		return STATUS_USAGE;
	}
	list->names[list->nr++] = name;
	return 0;
}

static void add_policy(struct cli *cli, const struct sim_policy *policy)
{
	for (unsigned i = 0; i < cli->nr_policies; i++)
		if (cli->policies[i] == policy)
			return;
	if (cli->nr_policies < MOST_POLICIES)
		cli->policies[cli->nr_policies++] = policy;
}

static int complain_policy(const char *name)
{
	const char *names[MOST_POLICIES + 2] = { "all" };

	for (unsigned i = 0; policies[i] && i < MOST_POLICIES; i++)
		names[i + 1] = policies[i]->name;
	return complain_choice("policy", name, names);
}

static int parse_policies(struct cli *cli, char *list)
{
	char *rest = list, *name;

	while ((name = strsep(&rest, ","))) {
		const struct sim_policy *policy = policy_find(name);

		if (policy)
			add_policy(cli, policy);
		else if (strcmp(name, "all"))
			return complain_policy(name);
		for (unsigned i = 0; !policy && policies[i]; i++)
			add_policy(cli, policies[i]);
	}
	return 0;
}

static int complain_knob(const char *name)
{
	const char *names[MOST_SETTINGS + 1] = { NULL };

	for (unsigned i = 0; i < nr_knobs && i < MOST_SETTINGS; i++)
		names[i] = knobs[i].name;
	return complain_choice("parameter", name, names);
}

static int set_knob(struct donor_params *params, const struct knob *knob, const char *text)
{
	__u64 value;
	int r = parse_count(knob->name, text, knob->minimum, knob->maximum, &value);

	if (!r)
		*(__u64 *)((char *)params + knob->offset) = value; /* all of them are __u64 */
	return r;
}

static int apply_setting(struct donor_params *params, char *setting)
{
	char *value = strchr(setting, '=');

	if (!value) {
		complain("--set cannot be '%s'; give KNOB=VALUE, as in slice_max_ns=4000000",
			 safe(setting));
		return STATUS_USAGE;
	}
	*value++ = '\0';
	for (unsigned i = 0; i < nr_knobs; i++)
		if (!strcmp(knobs[i].name, setting))
			return set_knob(params, &knobs[i], value);
	return complain_knob(setting);
}

static int apply_pending(struct cli *cli, struct pending *pending)
{
	const char *names[_DONOR_MODE_MAX + 1] = { NULL };
	struct wish wish = { .mode = DONOR_MODE_BALANCED };
	int r = 0;

	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		names[mode] = mode_to_string(mode);
	if (pending->mode && mode_from_string(pending->mode, &wish.mode) < 0)
		return complain_choice("mode", pending->mode, names);
	cli->params = wish_to_params(&wish);
	for (unsigned i = 0; i < pending->nr_settings && !r; i++)
		r = apply_setting(&cli->params, pending->settings[i]);
	return r;
}

static int add_setting(struct pending *pending, char *setting)
{
	if (pending->nr_settings == MOST_SETTINGS) {
		complain("--set is given more than %d times; leave some out", MOST_SETTINGS);
		return STATUS_USAGE;
	}
	pending->settings[pending->nr_settings++] = setting;
	return 0;
}

static int apply(int value, char **argv, struct cli *cli, struct pending *pending)
{
	switch (value) {
	case 'm':
		cli->machine = optarg;
		return 0;
	case 'w':
		return add_name(&cli->workloads, "workload", optarg);
	case 'b':
		return add_name(&cli->backgrounds, "background", optarg);
	case 'p':
		return parse_policies(cli, optarg);
	case 'l':
		cli->list = true;
		return 0;
	case 'h':
		cli->print.help = true;
		return 0;
	case ARGUMENT_SEEDS:
		return parse_u32("--seeds", optarg, 1, MOST_SEEDS, &cli->nr_seeds);
	case ARGUMENT_SEED:
		return parse_count("--seed", optarg, 0, UINT64_MAX - MOST_SEEDS, &cli->first_seed);
	case ARGUMENT_SCALE:
		return parse_u32("--scale", optarg, 1, MOST_SCALE, &cli->scale);
	case ARGUMENT_DURATION:
		return parse_duration(optarg, &cli->duration_ns);
	case ARGUMENT_HZ:
		return parse_u32("--hz", optarg, LEAST_HZ, MOST_HZ, &cli->hz);
	case ARGUMENT_NO_SMT_SHARING:
		cli->no_smt_sharing = true;
		return 0;
	case ARGUMENT_INTERLEAVE:
		cli->interleave = true;
		return 0;
	case ARGUMENT_MODE:
		pending->mode = optarg;
		return 0;
	case ARGUMENT_SET:
		return add_setting(pending, optarg);
	case ARGUMENT_JSON:
		return parse_json(optarg, &cli->print);
	case ARGUMENT_NO_LEGEND:
		cli->print.no_legend = true;
		return 0;
	case ARGUMENT_TRACE:
		cli->trace = optarg;
		return 0;
	case ARGUMENT_VERSION:
		cli->print.version = true;
		return 0;
	case ':':
		complain("--%s needs a value; see donor-sim --help",
			 long_option_name(table, optopt));
		return STATUS_USAGE;
	default:
		return complain_option(table, argv[optind - 1]);
	}
}

static int check(const struct cli *cli, const char *surplus)
{
	if (surplus) {
		complain("does not know what to do with '%s'; workloads are named with --workload",
			 safe(surplus));
		return STATUS_USAGE;
	}
	if (cli->workloads.nr || cli->list || cli->print.help || cli->print.version)
		return 0;
	complain("nothing to run; name a workload with --workload, of those that --list shows");
	return STATUS_USAGE;
}

int cli_parse(int argc, char **argv, struct cli *ret)
{
	struct pending pending = { 0 };
	int value, r;

	*ret = (struct cli){
		.machine = "vm8", .first_seed = 1, .nr_seeds = 1, .scale = 1, .hz = 250
	};
	opterr = 0;
	while ((value = getopt_long(argc, argv, letters, table, NULL)) >= 0) {
		r = apply(value, argv, ret, &pending);
		if (r)
			return r;
	}
	r = apply_pending(ret, &pending) ?: check(ret, argv[optind]);
	if (!r && !ret->nr_policies)
		add_policy(ret, policy_find("donor"));
	return r;
}
