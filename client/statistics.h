/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <systemd/sd-bus.h>

#include "client/bus-client.h"

/* Counters in the order of the service. */
struct counters {
	size_t nr;
	struct counter {
		const char *name;
		uint64_t value;
	} *list;
};

/* Sums, or one set for each CPU by its id, at one moment of the service's monotonic clock. */
struct snapshot {
	sd_bus_message *reply; /* owns the names */
	uint64_t monotonic_usec;
	size_t nr_sets;
	struct counters *sets;
};

struct description {
	const char *name;
	const char *unit;
	const char *text;
};

struct descriptions {
	sd_bus_message *reply;
	size_t nr;
	struct description *list;
};

struct domain {
	const char *cpus; /* a list: "0-3,8" */
	uint32_t kind; /* rank of its cores, a faster kind has a higher number */
	uint32_t cores;
	uint32_t node;
	uint32_t online;
	uint32_t active; /* CPUs in use */
	uint32_t idle_cores;
	uint32_t idle_cpus;
	uint64_t load; /* of its CPUs together, a busy one is 1024 */
	uint64_t pressure; /* work per CPU in use; 1024: all are busy and nobody waits */
	uint64_t queued;
	uint64_t given;
	uint64_t taken;
	uint64_t stolen;
};

struct domains {
	sd_bus_message *reply;
	uint64_t monotonic_usec;
	size_t nr;
	struct domain *list;
};

/*
 * Each returns a negative errno and ret_error as from bus_client_call(). The done functions are
 * for objects that were read, or are all zero.
 */
int snapshot_read(struct bus_client *client, sd_bus_error *ret_error, struct snapshot *ret);
int snapshot_read_per_cpu(struct bus_client *client, sd_bus_error *ret_error, struct snapshot *ret);
void snapshot_done(struct snapshot *snapshot);

int descriptions_read(struct bus_client *client, sd_bus_error *ret_error, struct descriptions *ret);
void descriptions_done(struct descriptions *descriptions);

int domains_read(struct bus_client *client, sd_bus_error *ret_error, struct domains *ret);
void domains_done(struct domains *domains);

/* Reads an a{st} into counters that are all zero. The caller frees the list, also on error. */
int counters_read(sd_bus_message *m, struct counters *counters);

/* 0 if there is no such counter. */
uint64_t counters_value(const struct counters *counters, const char *name);

/* "" if the counter is not described. */
const char *descriptions_text(const struct descriptions *descriptions, const char *name);
