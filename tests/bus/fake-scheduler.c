/* SPDX-License-Identifier: GPL-2.0-only */

/* scheduler.h without a kernel: see fake.h. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "service/cleanup.h"
#include "service/mode.h"
#include "service/scheduler.h"
#include "tests/bus/fake.h"

/* What "the kernel" runs of ours. */
struct memory {
	struct donor_machine machine;
	struct donor_topology topology;
	struct donor_params params;
	struct donor_domain domains[DONOR_MAX_DOMAINS];
	struct donor_counters counters[DONOR_MAX_CPUS];
	struct donor_exit exit;
};

struct scheduler {
	int memory_fd;
	int link_fd; /* -1: not attached */
	struct memory *memory;
};

static bool dropped;

static void write_params(const struct donor_params *params)
{
	FILE *f = fake_open("params.new", "we");
	char new[4096];

	fprintf(f, "mode=%s\ngeneration=%" PRIu64 "\n", mode_to_string(params->mode),
		(uint64_t)params->generation);
	for (unsigned i = 0; i < nr_knobs; i++)
		fprintf(f, "%s=%" PRIu64 "\n", knobs[i].name, (uint64_t)knob_get(params, &knobs[i]));
	fclose(f);
	strcpy(new, fake_path("params.new"));
	rename(new, fake_path("params"));
}

static void write_line(const char *name)
{
	_cleanup_(fclosep) FILE *f = fake_open(name, "ae");

	fprintf(f, "once\n");
}

static void read_build(char build[DONOR_BUILD_BYTES])
{
	_cleanup_(fclosep) FILE *f = fake_open("build", "re");
	char line[DONOR_BUILD_BYTES + 1];

	fake_line(f, line, sizeof(line));
	memset(build, 0, DONOR_BUILD_BYTES);
	memcpy(build, line, strlen(line));
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
static void set_loads(struct memory *memory)
{
	for (unsigned i = 0; i < memory->topology.nr_domains; i++) {
		struct donor_domain *domain = &memory->domains[i];

		domain->nr_online = domain->nr_active = memory->topology.domains[i].nr_cpus;
		domain->pressure = 512 + 256 * i;
		domain->load = domain->pressure * domain->nr_online;
	}
}

static struct scheduler *scheduler_on(int memory_fd)
{
	struct scheduler *scheduler = calloc(1, sizeof(*scheduler));

	*scheduler = (struct scheduler){ .memory_fd = memory_fd, .link_fd = -1 };
	scheduler->memory = mmap(NULL, sizeof(*scheduler->memory), PROT_READ | PROT_WRITE,
				 MAP_SHARED, memory_fd, 0);
	if (scheduler->memory == MAP_FAILED)
		abort();
	return scheduler;
}

int scheduler_load(const struct donor_topology *topology, struct scheduler **ret,
		   struct scheduler_error *ret_error)
{
	int fd, r;

	r = fake_number("attach-error", ret_error->text, sizeof(ret_error->text));
	if (r == 0 && dropped)
		r = EPERM;
	if (r != 0 && r != EBUSY)
		return -r;
	fd = memfd_create("fake-kernel", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, sizeof(struct memory)) < 0)
		abort();
	*ret = scheduler_on(fd);
	(*ret)->memory->topology = *topology;
	read_domains(&(*ret)->memory->topology);
	write_line("loads");
	return 0;
}

int scheduler_attach(struct scheduler *scheduler, const struct donor_params *params,
		     struct scheduler_error *ret_error)
{
	struct memory *memory = scheduler->memory;
	struct timespec now;
	int r;

	if (fake_exists("params") || fake_exists("foreign"))
		return -EBUSY;
	if (unlink(fake_path("hotplug")) == 0) {
		fake_hotplug();
		return -EIO;
	}
	r = fake_number("attach-error", ret_error->text, sizeof(ret_error->text));
	if (r != 0)
		return -r;
	clock_gettime(CLOCK_MONOTONIC, &now);
	memory->machine.attached_at_us = now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
	read_build(memory->machine.build);
	memset(memory->counters, 0, sizeof(memory->counters));
	memset(&memory->exit, 0, sizeof(memory->exit));
	memory->params = *params;
	memory->params.generation = 1;
	set_loads(memory);
	write_params(&memory->params);
	write_line("attaches");
	scheduler->link_fd = fcntl(scheduler->memory_fd, F_DUPFD_CLOEXEC, 3);
	return 0;
}

void scheduler_detach(struct scheduler *scheduler)
{
	if (scheduler->link_fd < 0)
		return;
	unlink(fake_path("params"));
	unlink(fake_path("ejected"));
	close(steal_fd(scheduler->link_fd));
}

struct scheduler *scheduler_release(struct scheduler *scheduler)
{
	if (!scheduler)
		return NULL;
	munmap(scheduler->memory, sizeof(*scheduler->memory));
	closep(&scheduler->link_fd);
	closep(&scheduler->memory_fd);
	free(scheduler);
	return NULL;
}

struct scheduler *scheduler_free(struct scheduler *scheduler)
{
	if (scheduler)
		scheduler_detach(scheduler);
	return scheduler_release(scheduler);
}

int scheduler_drop_privileges(void)
{
	dropped = fake_exists("drops-privileges");
	return 0;
}

bool scheduler_can_load(void)
{
	return !dropped;
}

unsigned scheduler_fds(const struct scheduler *scheduler, struct scheduler_fd ret[SCHEDULER_MAX_FDS])
{
	ret[0] = (struct scheduler_fd){ SCHEDULER_FD_PREFIX "memory", scheduler->memory_fd };
	ret[1] = (struct scheduler_fd){ SCHEDULER_FD_PREFIX "link", scheduler->link_fd };
	return 2;
}

static int take_fd(struct scheduler_fd fds[], unsigned nr, const char *name)
{
	for (unsigned i = 0; i < nr; i++)
		if (strcmp(fds[i].name, name) == 0)
			return steal_fd(fds[i].fd);
	return -1;
}

int scheduler_adopt(struct scheduler_fd fds[], unsigned nr, struct scheduler **ret)
{
	int memory = take_fd(fds, nr, SCHEDULER_FD_PREFIX "memory");
	int link = take_fd(fds, nr, SCHEDULER_FD_PREFIX "link");
	char build[DONOR_BUILD_BYTES];

	if (memory < 0 || link < 0) {
		closep(&memory);
		closep(&link);
		return -ENOENT;
	}
	*ret = scheduler_on(memory);
	(*ret)->link_fd = link;
	read_build(build);
	return memcmp((*ret)->memory->machine.build, build, sizeof(build)) == 0 ? 0 : -ESTALE;
}

bool scheduler_is_attached(const struct scheduler *scheduler)
{
	return !fake_exists("ejected");
}

int scheduler_set_params(struct scheduler *scheduler, const struct donor_params *params)
{
	char text[64];
	int r;

	r = fake_number("set-params-error", text, sizeof(text));
	if (r == 0 && !scheduler_is_attached(scheduler))
		r = ECANCELED;
	if (r != 0)
		return -r;
	__u64 generation = scheduler->memory->params.generation + 1;

	scheduler->memory->params = *params;
	scheduler->memory->params.generation = generation;
	write_params(&scheduler->memory->params);
	return 0;
}

const struct donor_params *scheduler_params(const struct scheduler *scheduler)
{
	return &scheduler->memory->params;
}

const struct donor_machine *scheduler_machine(const struct scheduler *scheduler)
{
	return &scheduler->memory->machine;
}

const struct donor_topology *scheduler_topology(const struct scheduler *scheduler)
{
	return &scheduler->memory->topology;
}

const struct donor_domain *scheduler_domains(const struct scheduler *scheduler)
{
	return scheduler->memory->domains;
}

/* Each look is one moment of load: every CPU tries to donate once at each hook. */
const struct donor_counters *scheduler_counters(const struct scheduler *scheduler)
{
	struct memory *memory = scheduler->memory;
	const struct donor_params *params = &memory->params;

	for (unsigned cpu = 0; cpu < memory->topology.nr_cpus; cpu++) {
		struct donor_counters *values = &memory->counters[cpu];
		unsigned domain = memory->topology.cpus[cpu].domain;

		values->task_switches++;
		*(params->donate_select_cpu ? &values->donate_select_cpu_ok
					    : &values->donate_select_cpu_off) += 1;
		*(params->donate_enqueue ? &values->donate_enqueue_ok
					 : &values->donate_enqueue_off) += 1;
		memory->domains[domain].nr_given +=
			params->donate_select_cpu + params->donate_enqueue;
	}
	return memory->counters;
}

const struct donor_exit *scheduler_exit(const struct scheduler *scheduler)
{
	struct donor_exit *record = &scheduler->memory->exit;
	_cleanup_(fclosep) FILE *f = fake_open("ejected", "re");
	char line[64];

	fake_line(f, line, sizeof(line));
	record->kind = strtoul(line, NULL, 0);
	fake_line(f, line, sizeof(line));
	record->code = strtoll(line, NULL, 0);
	fake_line(f, record->reason, sizeof(record->reason));
	fake_line(f, record->message, sizeof(record->message));
	strcpy(record->dump, "first line of the dump\nsecond line of the dump\n");
	return record;
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
