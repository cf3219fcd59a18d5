/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * scheduler.h and kernel.h without a kernel: linked into donord in place of the real ones. A test
 * plays the kernel through small files in the directory DONOR_FAKE_DIR:
 *
 *   no-sched-ext, no-btf   the kernel lacks it
 *   no-watch               it makes no announcements
 *   foreign                name of another scheduler, attached while the file is there
 *   attach-error           "errno text": what scheduler_attach() fails with
 *   set-params-error       "errno": what scheduler_set_params() fails with
 *   disabling              the kernel has not finished an ejection
 *   ejected                four lines: kind, code, reason, message; appears at an ejection
 *   domains                "nr_cpus nr_cores kind node" per domain, instead of this machine
 *
 * and sees what was asked of it in
 *
 *   params                 the parameters in force, "name=value" each; there while attached
 *   attaches               one line per attach
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "service/cleanup.h"
#include "service/kernel.h"
#include "service/mode.h"
#include "service/scheduler.h"

struct scheduler {
	struct donor_topology topology;
	struct donor_params params;
	struct donor_domain domains[DONOR_MAX_DOMAINS];
	struct donor_counters counters[DONOR_MAX_CPUS];
	struct donor_exit exit;
};

/* What "the kernel" runs of ours. */
static struct scheduler *running;

static const char *fake_path(const char *name)
{
	static char path[4096];
	const char *dir = getenv("DONOR_FAKE_DIR");

	if (!dir) {
		fprintf(stderr, "DONOR_FAKE_DIR is not set\n");
		abort();
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static bool fake_exists(const char *name)
{
	return access(fake_path(name), F_OK) == 0;
}

static FILE *fake_open(const char *name, const char *mode)
{
	return fopen(fake_path(name), mode);
}

/* A line without its newline; empty if there is none. */
static void fake_line(FILE *f, char *buf, size_t size)
{
	if (!f || !fgets(buf, size, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

static int fake_errno(const char *name, char *text, size_t size)
{
	_cleanup_(fclosep) FILE *f = fake_open(name, "re");
	char line[512];
	char *rest;
	int r;

	fake_line(f, line, sizeof(line));
	r = strtol(line, &rest, 10);
	snprintf(text, size, "%s", rest + strspn(rest, " "));
	return r;
}

/* kernel.h */

void kernel_read(struct kernel_state *ret)
{
	_cleanup_(fclosep) FILE *foreign = fake_open("foreign", "re");

	*ret = (struct kernel_state){
		.has_sched_ext = !fake_exists("no-sched-ext"),
		.has_btf = !fake_exists("no-btf"),
		.is_changing = fake_exists("disabling"),
		.enabled = foreign || (running && !fake_exists("ejected")),
	};
	if (foreign)
		fake_line(foreign, ret->ops, sizeof(ret->ops));
	else if (ret->enabled)
		strcpy(ret->ops, "donor");
}

int kernel_watch_open(void)
{
	_cleanup_(closep) int fd = -1;

	if (fake_exists("no-watch"))
		return -EAFNOSUPPORT;
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0 || inotify_add_watch(fd, fake_path(""), IN_MOVED_TO | IN_DELETE) < 0)
		return -errno;
	return steal_fd(fd);
}

bool kernel_watch_drain(int fd)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool news = false;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const void *)p;

			news |= strcmp(event->name, "foreign") == 0 ||
				strcmp(event->name, "ejected") == 0;
			p += sizeof(*event) + event->len;
		}
	return news;
}

/* scheduler.h */

static void write_params(const struct scheduler *scheduler)
{
	FILE *f = fake_open("params.new", "we");
	char new[4096];

	fprintf(f, "mode=%s\ngeneration=%" PRIu64 "\n", mode_to_string(scheduler->params.mode),
		(uint64_t)scheduler->params.generation);
	for (unsigned i = 0; i < nr_knobs; i++)
		fprintf(f, "%s=%" PRIu64 "\n", knobs[i].name,
			(uint64_t)knob_get(&scheduler->params, &knobs[i]));
	fclose(f);
	strcpy(new, fake_path("params.new"));
	rename(new, fake_path("params"));
}

/* Domains of consecutive CPUs, as the file "domains" says. */
static void read_domains(struct donor_topology *topology)
{
	_cleanup_(fclosep) FILE *f = fake_open("domains", "re");
	unsigned nr_cpus, nr_cores, kind, node;

	if (!f)
		return;
	*topology = (struct donor_topology){};
	while (fscanf(f, "%u %u %u %u", &nr_cpus, &nr_cores, &kind, &node) == 4) {
		topology->domains[topology->nr_domains] = (struct donor_domain_topology){
			.nr_cpus = nr_cpus,
			.nr_cores = nr_cores,
			.kind = kind,
			.node = node,
		};
		for (unsigned i = 0; i < nr_cpus; i++)
			topology->cpus[topology->nr_cpus++].domain = topology->nr_domains;
		topology->nr_domains++;
	}
}

/* The first domain is half busy, the second three quarters. */
static void set_loads(struct scheduler *scheduler)
{
	for (unsigned i = 0; i < scheduler->topology.nr_domains; i++) {
		struct donor_domain *domain = &scheduler->domains[i];

		domain->nr_online = domain->nr_active = scheduler->topology.domains[i].nr_cpus;
		domain->pressure = 512 + 256 * i;
		domain->load = domain->pressure * domain->nr_online;
	}
}

int scheduler_attach(const struct donor_topology *topology, const struct donor_params *params,
		     struct scheduler **ret, struct scheduler_error *ret_error)
{
	_cleanup_(fclosep) FILE *attaches = NULL;
	int r;

	if (running || fake_exists("foreign"))
		return -EBUSY;
	r = fake_errno("attach-error", ret_error->text, sizeof(ret_error->text));
	if (r != 0)
		return -r;
	running = calloc(1, sizeof(*running));
	if (!running)
		return -ENOMEM;
	running->topology = *topology;
	running->params = *params;
	running->params.generation = 1;
	read_domains(&running->topology);
	set_loads(running);
	write_params(running);
	attaches = fake_open("attaches", "ae");
	fprintf(attaches, "attach\n");
	*ret = running;
	return 0;
}

struct scheduler *scheduler_free(struct scheduler *scheduler)
{
	if (!scheduler)
		return NULL;
	unlink(fake_path("params"));
	unlink(fake_path("ejected"));
	running = NULL;
	free(scheduler);
	return NULL;
}

bool scheduler_is_attached(const struct scheduler *scheduler)
{
	return !fake_exists("ejected");
}

int scheduler_set_params(struct scheduler *scheduler, const struct donor_params *params)
{
	char text[64];
	int r;

	r = fake_errno("set-params-error", text, sizeof(text));
	if (r == 0 && !scheduler_is_attached(scheduler))
		r = ECANCELED;
	if (r != 0)
		return -r;
	__u64 generation = scheduler->params.generation + 1;

	scheduler->params = *params;
	scheduler->params.generation = generation;
	write_params(scheduler);
	return 0;
}

const struct donor_params *scheduler_params(const struct scheduler *scheduler)
{
	return &scheduler->params;
}

const struct donor_topology *scheduler_topology(const struct scheduler *scheduler)
{
	return &scheduler->topology;
}

const struct donor_domain *scheduler_domains(const struct scheduler *scheduler)
{
	return scheduler->domains;
}

/* Each look is one moment of load: every CPU tries to donate once at each hook. */
const struct donor_counters *scheduler_counters(const struct scheduler *const_scheduler)
{
	struct scheduler *scheduler = (struct scheduler *)const_scheduler;
	const struct donor_params *params = &scheduler->params;

	for (unsigned cpu = 0; cpu < scheduler->topology.nr_cpus; cpu++) {
		struct donor_counters *values = &scheduler->counters[cpu];
		unsigned domain = scheduler->topology.cpus[cpu].domain;

		values->task_switches++;
		*(params->donate_select_cpu ? &values->donate_select_cpu_ok
					    : &values->donate_select_cpu_off) += 1;
		*(params->donate_enqueue ? &values->donate_enqueue_ok
					 : &values->donate_enqueue_off) += 1;
		scheduler->domains[domain].nr_given +=
			params->donate_select_cpu + params->donate_enqueue;
	}
	return scheduler->counters;
}

const struct donor_exit *scheduler_exit(const struct scheduler *const_scheduler)
{
	struct scheduler *scheduler = (struct scheduler *)const_scheduler;
	_cleanup_(fclosep) FILE *f = fake_open("ejected", "re");
	char line[64];

	fake_line(f, line, sizeof(line));
	scheduler->exit.kind = strtoul(line, NULL, 0);
	fake_line(f, line, sizeof(line));
	scheduler->exit.code = strtoll(line, NULL, 0);
	fake_line(f, scheduler->exit.reason, sizeof(scheduler->exit.reason));
	fake_line(f, scheduler->exit.message, sizeof(scheduler->exit.message));
	strcpy(scheduler->exit.dump, "first line of the dump\nsecond line of the dump\n");
	return &scheduler->exit;
}

const char *scheduler_exit_kind(__u32 kind)
{
	switch (kind) {
	case 64:
		return "unregistered";
	case 67:
		return "sysrq";
	case 1026:
		return "stall";
	default:
		return "error";
	}
}
