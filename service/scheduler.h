/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"
#include "service/cleanup.h"
#include "service/topology.h"

/*
 * The scheduler in the kernel: load, attach, parameters, counters, detach. scheduler.c is the only
 * file that knows libbpf; tests link one that drives no kernel.
 *
 * Attached means: the kernel runs our scheduler as long as this object lives and has not been
 * ejected. All calls may block for a moment, none waits for a task to be scheduled.
 */
struct scheduler;

/* Why an attach failed, in one sentence for a person. Empty if errno says all. */
struct scheduler_error {
	char text[512];
};

/*
 * Load and attach; returns when the kernel says that it runs us. On failure *ret is untouched, the
 * kernel is as before, and *ret_error says why. kernel_read() said before that the kernel has
 * sched_ext and BTF.
 *
 *   -EBADF       its BTF is malformed
 *   -EPERM       CAP_BPF and CAP_PERFMON are missing
 *   -EBADMSG     the verifier refused the program
 *   -EBUSY       another scheduler is attached
 *   -EOPNOTSUPP  donor was built without its scheduler
 *   others       as the kernel said
 */
int scheduler_attach(const struct donor_topology *topology, const struct donor_params *params,
		     struct scheduler **ret, struct scheduler_error *ret_error);

/* Detach and free; returns when the kernel no longer runs us. Takes NULL, returns NULL. */
struct scheduler *scheduler_free(struct scheduler *scheduler);
DEFINE_CLEANUP(struct scheduler *, scheduler_free);

/* The kernel runs it still. False once it was ejected; the exit record then says why. */
bool scheduler_is_attached(const struct scheduler *scheduler);

/*
 * Put another set of parameters in force; its generation is set here. Returns when no callback in
 * the kernel works with the old set any more. -ECANCELED: the kernel ejected us meanwhile.
 */
int scheduler_set_params(struct scheduler *scheduler, const struct donor_params *params);

/*
 * Views into the memory of the running scheduler, valid until it is freed. The values change while
 * one looks; each is valid alone.
 */
const struct donor_params *scheduler_params(const struct scheduler *scheduler);
const struct donor_topology *scheduler_topology(const struct scheduler *scheduler);
const struct donor_domain *scheduler_domains(const struct scheduler *scheduler);
const struct donor_counters *scheduler_counters(const struct scheduler *scheduler); /* [nr_cpus] */
const struct donor_exit *scheduler_exit(const struct scheduler *scheduler);

/* Word for the kind of an exit record, for the bus: "unregistered", "stall", ... */
const char *scheduler_exit_kind(__u32 kind);
