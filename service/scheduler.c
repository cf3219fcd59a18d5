/* SPDX-License-Identifier: GPL-2.0-only */

/* The loaded scheduler: attach, parameters, views, detach. */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/clock.h"
#include "service/kernel.h"
#include "service/scheduler-private.h"

enum {
	SETTLE_TRIES = 500, /* for the kernel to say what it did */
	SETTLE_INTERVAL_NS = 10 * 1000 * 1000,
	GRACE_FALLBACK_NS = 50 * 1000 * 1000, /* longer than any callback runs */
};

static void sleep_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

int scheduler_fail(struct scheduler_error *ret_error, int r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ret_error->text, sizeof(ret_error->text), format, args);
	va_end(args);
	return r;
}

static bool runs_us(void)
{
	struct kernel_state kernel;

	kernel_read(&kernel);
	return kernel.enabled && strcmp(kernel.ops, "donor") == 0;
}

struct scheduler *scheduler_alloc(void)
{
	struct scheduler *scheduler = calloc(1, sizeof(*scheduler));

	if (!scheduler)
		return NULL;
	scheduler->link = -1;
	for (unsigned i = 0; i < _MAP_MAX; i++)
		scheduler->maps[i] = -1;
	return scheduler;
}

/* A link is not a running scheduler: ops.init may have failed since. */
static int wait_until_running(struct scheduler *scheduler, struct scheduler_error *ret_error)
{
	const struct donor_exit *exit_record = scheduler_exit(scheduler);

	for (int i = 0; i < SETTLE_TRIES && !exit_record->kind; i++) {
		if (runs_us())
			return 0;
		sleep_ns(SETTLE_INTERVAL_NS);
	}
	return scheduler_fail(ret_error, -EIO, "The kernel gave the scheduler up at once: %s",
			      exit_record->kind ? exit_record->message : "it does not say why.");
}

/* The object and its log of types are megabytes: what is needed from now on has descriptors. */
static int link_object(struct scheduler *scheduler)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(
		bpf_object__find_map_by_name(scheduler->object, "donor"));

	if (!link)
		return -errno;
	scheduler->link = fcntl(bpf_link__fd(link), F_DUPFD_CLOEXEC, 3);
	if (scheduler->link < 0)
		return -errno;
	bpf_link__destroy(link);
	bpf_object__close(steal_pointer(scheduler->object));
	return 0;
}

static int link_again(struct scheduler *scheduler)
{
	scheduler->link = bpf_link_create(scheduler->maps[MAP_OPS], 0, BPF_STRUCT_OPS, NULL);
	return scheduler->link < 0 ? -errno : 0;
}

static void describe_machine(struct scheduler *scheduler)
{
	const struct donor_topology *t = &scheduler->topology;
	struct donor_machine *machine = scheduler->views[MAP_MACHINE].address;

	*machine = (struct donor_machine){
		.abi_version = DONOR_ABI_VERSION,
		.nr_cpus = t->nr_cpus,
		.nr_domains = t->nr_domains,
		.hotplug_seq = t->hotplug_seq,
		.attached_at_us = now_us(CLOCK_MONOTONIC),
	};
	memcpy(machine->build, scheduler_build, sizeof(machine->build));
	memcpy(scheduler->views[MAP_CPU_TOPOLOGY].address, t->cpus, t->nr_cpus * sizeof(t->cpus[0]));
	memcpy(scheduler->views[MAP_DOMAIN_TOPOLOGY].address, t->domains,
	       t->nr_domains * sizeof(t->domains[0]));
}

static void write_first_params(struct donor_params_block *block, const struct donor_params *params)
{
	block->slots[0] = *params;
	block->slots[0].generation = 1;
}

int scheduler_attach(struct scheduler *scheduler, const struct donor_params *params,
		     struct scheduler_error *ret_error)
{
	int r;

	ret_error->text[0] = '\0';
	r = scheduler->object ? 0 : scheduler_reset_maps(scheduler);
	if (r < 0)
		return r;
	describe_machine(scheduler);
	write_first_params(scheduler->views[MAP_PARAMS].address, params);
	r = scheduler->object ? link_object(scheduler) : link_again(scheduler);
	if (r < 0)
		return scheduler_fail(ret_error, r, "The kernel did not take the scheduler: %s. %s",
				      strerror(-r), scheduler_exit(scheduler)->message);
	return wait_until_running(scheduler, ret_error);
}

/* Detached by name and not only closed: another descriptor of the link may lie with systemd. */
void scheduler_detach(struct scheduler *scheduler)
{
	if (scheduler->link < 0)
		return;
	(void)bpf_link_detach(scheduler->link);
	close(scheduler->link);
	scheduler->link = -1;
	for (int i = 0; i < SETTLE_TRIES && runs_us(); i++)
		sleep_ns(SETTLE_INTERVAL_NS);
}

struct scheduler *scheduler_release(struct scheduler *scheduler)
{
	if (!scheduler)
		return NULL;
	closep(&scheduler->link);
	for (unsigned i = 0; i < _MAP_MAX; i++) {
		if (scheduler->views[i].address)
			munmap(scheduler->views[i].address, scheduler->views[i].bytes);
		closep(&scheduler->maps[i]);
	}
	bpf_object__close(scheduler->object);
	free(scheduler);
	return NULL;
}

struct scheduler *scheduler_free(struct scheduler *scheduler)
{
	if (scheduler)
		scheduler_detach(scheduler);
	return scheduler_release(scheduler);
}

bool scheduler_is_attached(const struct scheduler *scheduler)
{
	return !__atomic_load_n(&scheduler_exit(scheduler)->kind, __ATOMIC_ACQUIRE) && runs_us();
}

/*
 * Callbacks read their parameters inside RCU: one grace period, and none works with the old set.
 * A kernel with full dynticks has no such call; there time does it.
 */
static void wait_for_readers(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		sleep_ns(GRACE_FALLBACK_NS);
}

int scheduler_set_params(struct scheduler *scheduler, const struct donor_params *params)
{
	struct donor_params_block *block = scheduler->views[MAP_PARAMS].address;
	__u32 next = (block->current + 1) % DONOR_NR_SLOTS;
	__u64 generation = block->slots[block->current].generation + 1;

	block->slots[next] = *params;
	block->slots[next].generation = generation;
	__atomic_store_n(&block->current, next, __ATOMIC_RELEASE);
	wait_for_readers();
	return scheduler_is_attached(scheduler) ? 0 : -ECANCELED;
}

const struct donor_params *scheduler_params(const struct scheduler *scheduler)
{
	const struct donor_params_block *block = scheduler->views[MAP_PARAMS].address;

	return &block->slots[block->current % DONOR_NR_SLOTS];
}

const struct donor_machine *scheduler_machine(const struct scheduler *scheduler)
{
	return scheduler->views[MAP_MACHINE].address;
}

const struct donor_topology *scheduler_topology(const struct scheduler *scheduler)
{
	return &scheduler->topology;
}

const struct donor_domain *scheduler_domains(const struct scheduler *scheduler)
{
	return scheduler->views[MAP_DOMAINS].address;
}

const struct donor_counters *scheduler_counters(const struct scheduler *scheduler)
{
	return scheduler->views[MAP_COUNTERS].address;
}

const struct donor_exit *scheduler_exit(const struct scheduler *scheduler)
{
	return scheduler->views[MAP_EXIT_RECORD].address;
}

const char *scheduler_exit_kind(__u32 kind)
{
	switch (kind) {
	case 0:
		return "";
	case 1: /* the kernel's disabling was complete */
	case 64:
		return "unregistered";
	case 65:
		return "unregistered-bpf";
	case 66:
		return "unregistered-kernel";
	case 67:
		return "sysrq";
	case 1025:
		return "bpf-error";
	case 1026:
		return "stall";
	default:
		return kind >= 1024 ? "error" : "other";
	}
}
