/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>

#include "service/metrics.h"
#include "service/mode.h"

enum family_type {
	FAMILY_COUNTER,
	FAMILY_GAUGE,
	FAMILY_INFO,
	FAMILY_STATESET,
};

struct writer {
	FILE *f;
	enum metrics_format format;
};

static const struct {
	const char *word;
	const char *classic_word;
	const char *suffix; /* of its samples */
} types[] = {
	[FAMILY_COUNTER] = { "counter", "counter", "_total" },
	[FAMILY_GAUGE] = { "gauge", "gauge", "" },
	[FAMILY_INFO] = { "info", "gauge", "_info" },
	[FAMILY_STATESET] = { "stateset", "gauge", "" },
};

static void write_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", f);
			continue;
		}
		if (*text == '\\' || *text == '"')
			fputc('\\', f);
		fputc(*text, f);
	}
}

/* OpenMetrics names the family, the older format its samples. No help text has a special sign. */
static void family(const struct writer *w, const char *name, enum family_type type, const char *help)
{
	bool is_classic = w->format == METRICS_CLASSIC;
	const char *suffix = is_classic ? types[type].suffix : "";

	fprintf(w->f, "# TYPE %s%s %s\n# HELP %s%s %s.\n", name, suffix,
		is_classic ? types[type].classic_word : types[type].word, name, suffix, help);
}

static void family_of_seconds(const struct writer *w, const char *name, const char *help)
{
	family(w, name, FAMILY_COUNTER, help);
	if (w->format == METRICS_OPENMETRICS)
		fprintf(w->f, "# UNIT %s seconds\n", name);
}

static void sample(const struct writer *w, const char *name, const char *label, const char *value,
		   uint64_t number)
{
	fprintf(w->f, "%s{%s=\"", name, label);
	write_escaped(w->f, value);
	fprintf(w->f, "\"} %" PRIu64 "\n", number);
}

static void write_info(const struct writer *w, const struct status *status)
{
	struct utsname kernel = {};

	(void)uname(&kernel);
	family(w, "donor", FAMILY_INFO,
	       "Versions of the service and of the kernel, and the "
	       "sched_ext scheduler that it runs");
	fprintf(w->f, "donor_info{version=\"" DONOR_VERSION "\",kernel=\"");
	write_escaped(w->f, kernel.release);
	fputs("\",scheduler=\"", w->f);
	write_escaped(w->f, status->scheduler_name);
	fputs("\"} 1\n", w->f);
}

static void write_status(const struct writer *w, const struct status *status)
{
	family(w, "donor_state", FAMILY_STATESET, "What the service does");
	for (enum service_state state = 0; state < _STATE_MAX; state++)
		sample(w, "donor_state", "donor_state", state_to_string(state),
		       state == status->state);

	family(w, "donor_mode", FAMILY_GAUGE, "The mode, and who chose it");
	fprintf(w->f, "donor_mode{mode=\"%s\",source=\"%s\"} 1\n", mode_to_string(status->mode),
		source_to_string(status->resolution.in_force.source));

	family(w, "donor_donation_effective", FAMILY_GAUGE,
	       "Whether the kernel gives tasks away at that hook");
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		sample(w, "donor_donation_effective", "hook", hook_to_string(hook),
		       status->effective[hook]);
}

static void write_holds(const struct writer *w, unsigned nr)
{
	family(w, "donor_holds", FAMILY_GAUGE, "Modes that programs hold now");
	fprintf(w->f, "donor_holds %u\n", nr);
}

static void write_tally(const struct writer *w, const struct tally *tally,
			const struct status *status)
{
	family(w, "donor_exits", FAMILY_COUNTER, "Ends of the scheduler by kind");
	for (unsigned i = 0; i < tally->nr_kinds; i++)
		sample(w, "donor_exits_total", "kind", tally->exits[i].kind, tally->exits[i].nr);

	family(w, "donor_restarts", FAMILY_COUNTER,
	       "Times that the service attached anew by itself after the scheduler had ended");
	fprintf(w->f, "donor_restarts_total %u\n", status->nr_restarts);

	family_of_seconds(w, "donor_mode_seconds", "Time attached in each mode");
	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		fprintf(w->f, "donor_mode_seconds_total{mode=\"%s\"} %" PRIu64 ".%06" PRIu64 "\n",
			mode_to_string(mode), tally->mode_us[mode] / 1000000,
			tally->mode_us[mode] % 1000000);
}

/* "donate_select_cpu_no_core" is how donation at select-cpu ended. */
static const char *donation_result(const char *counter, enum donor_hook *ret_hook)
{
	static const char *const prefixes[_DONOR_HOOK_MAX] = {
		[DONOR_HOOK_SELECT_CPU] = "donate_select_cpu_",
		[DONOR_HOOK_ENQUEUE] = "donate_enqueue_",
	};

	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (strncmp(counter, prefixes[hook], strlen(prefixes[hook])) == 0) {
			*ret_hook = hook;
			return counter + strlen(prefixes[hook]);
		}
	return NULL;
}

static void write_donations(const struct writer *w, const struct donor_counters *sum)
{
	enum donor_hook hook;

	family(w, "donor_donations", FAMILY_COUNTER,
	       "Donations that were considered, and how they ended");
	for (unsigned i = 0; i < nr_counters; i++) {
		const char *result = donation_result(counters[i].name, &hook);

		if (result)
			fprintf(w->f,
				"donor_donations_total{hook=\"%s\",result=\"%s\"} %" PRIu64 "\n",
				hook_to_string(hook), result,
				(uint64_t)counter_get(sum, &counters[i]));
	}
}

static void write_counters(const struct writer *w, const struct donor_counters *sum)
{
	enum donor_hook hook;
	char name[64];

	for (unsigned i = 0; i < nr_counters; i++) {
		if (donation_result(counters[i].name, &hook))
			continue;
		(void)snprintf(name, sizeof(name), "donor_%s", counters[i].name);
		family(w, name, FAMILY_COUNTER, counters[i].help);
		fprintf(w->f, "%s_total %" PRIu64 "\n", name,
			(uint64_t)counter_get(sum, &counters[i]));
	}
}

static const struct {
	const char *name;
	enum family_type type;
	size_t offset;
	size_t size;
	const char *help;
} domain_families[] = {
#define LIVE(member)                                                                               \
	offsetof(struct donor_domain, member), sizeof(((struct donor_domain *)0)->member)
	{ "donor_domain_idle_cores", FAMILY_GAUGE, LIVE(nr_idle_cores), "Whole idle cores" },
	{ "donor_domain_queued", FAMILY_GAUGE, LIVE(nr_queued), "Tasks that wait for a CPU" },
	{ "donor_domain_given", FAMILY_COUNTER, LIVE(nr_given), "Tasks given to other domains" },
	{ "donor_domain_taken", FAMILY_COUNTER, LIVE(nr_taken), "Tasks given by other domains" },
	{ "donor_domain_stolen", FAMILY_COUNTER, LIVE(nr_stolen),
	  "Tasks that other domains took from the queue" },
#undef LIVE
};

static uint64_t domain_value(const struct donor_domain *domain, unsigned i)
{
	const char *at = (const char *)domain + domain_families[i].offset;

	return domain_families[i].size == 4 ? *(const __u32 *)at : *(const __u64 *)at;
}

static void write_domains(const struct writer *w, const struct scheduler *scheduler)
{
	const struct donor_domain *domains = scheduler_domains(scheduler);
	char name[64], number[16];

	for (unsigned i = 0; i < sizeof(domain_families) / sizeof(domain_families[0]); i++) {
		family(w, domain_families[i].name, domain_families[i].type, domain_families[i].help);
		(void)snprintf(name, sizeof(name), "%s%s", domain_families[i].name,
			       types[domain_families[i].type].suffix);
		for (unsigned d = 0; d < scheduler_topology(scheduler)->nr_domains; d++) {
			(void)snprintf(number, sizeof(number), "%u", d);
			sample(w, name, "domain", number, domain_value(&domains[d], i));
		}
	}
}

static void write_all(const struct writer *w, const struct metrics *metrics)
{
	write_info(w, metrics->status);
	write_status(w, metrics->status);
	write_holds(w, metrics->nr_holds);
	write_tally(w, metrics->tally, metrics->status);
	if (metrics->scheduler) {
		const struct donor_counters sum =
			counters_sum(scheduler_counters(metrics->scheduler),
				     scheduler_topology(metrics->scheduler)->nr_cpus);

		write_donations(w, &sum);
		write_counters(w, &sum);
		write_domains(w, metrics->scheduler);
	}
	if (w->format == METRICS_OPENMETRICS)
		fputs("# EOF\n", w->f);
}

int metrics_text(const struct metrics *metrics, enum metrics_format format, char **ret)
{
	_cleanup_(freep) char *text = NULL;
	size_t size = 0;
	struct writer w = { .f = open_memstream(&text, &size), .format = format };
	bool is_whole;

	if (!w.f)
		return -ENOMEM;
	write_all(&w, metrics);
	is_whole = !ferror(w.f);
	if (fclose(w.f) != 0 || !is_whole)
		return -ENOMEM;
	*ret = steal_pointer(text);
	return 0;
}
