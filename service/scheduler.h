/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"
#include "service/cleanup.h"
#include "service/topology.h"

/*
 * The scheduler in the kernel: load, attach, parameters, counters, detach, and taking over one that
 * another process left attached. The scheduler*.c files are the only ones that know libbpf; tests
 * link one that drives no kernel.
 *
 * Attached means: the kernel runs our scheduler as long as this object lives or systemd keeps its
 * descriptors, and has not ejected it. All calls may block for a moment, none waits for a task to
 * be scheduled.
 */
struct scheduler;

/* Why something failed, in one sentence for a person. Empty if errno says all. */
struct scheduler_error {
	char text[512];
};

/*
 * Load; the kernel does not run it yet. On failure *ret is untouched, the kernel is as before, and
 * *ret_error says why. kernel_read() said before that the kernel has sched_ext and BTF.
 *
 *   -EBADF       its BTF is malformed
 *   -EPERM       CAP_BPF and CAP_PERFMON are missing
 *   -EBADMSG     the verifier refused the program
 *   -EOPNOTSUPP  donor was built without its scheduler
 *   others       as the kernel said
 */
int scheduler_load(const struct donor_topology *topology, struct scheduler **ret,
		   struct scheduler_error *ret_error);

/*
 * Attach what is loaded, for the first time or once more; returns when the kernel says that it runs
 * us. It begins anew: nothing counted, generation 1. -EBUSY: another scheduler is attached. After a
 * failure it can only be freed.
 */
int scheduler_attach(struct scheduler *scheduler, const struct donor_params *params,
		     struct scheduler_error *ret_error);

/* Returns when the kernel no longer runs us. It stays loaded. */
void scheduler_detach(struct scheduler *scheduler);

/* Detach and free. Takes NULL, returns NULL. */
struct scheduler *scheduler_free(struct scheduler *scheduler);
DEFINE_CLEANUP(struct scheduler *, scheduler_free);

/* Free, but leave it attached if somebody else has its descriptors. Takes NULL, returns NULL. */
struct scheduler *scheduler_release(struct scheduler *scheduler);

/*
 * Loading takes capabilities; nothing else does, attaching once more included. Dropped, they are
 * gone for good, and a load takes another process.
 */
int scheduler_drop_privileges(void);
bool scheduler_can_load(void);

/* A descriptor by which a scheduler lives on without us. */
struct scheduler_fd {
	const char *name;
	int fd;
};

enum { SCHEDULER_MAX_FDS = 16 };
#define SCHEDULER_FD_PREFIX "bpf-" /* of all their names, in every build */

/* All of them, still the scheduler's; returns how many. The last is the link. */
unsigned scheduler_fds(const struct scheduler *scheduler,
		       struct scheduler_fd ret[SCHEDULER_MAX_FDS]);

/*
 * Take over what another process left. Descriptors that are used are set to -1 in the list; the
 * others stay the caller's. The scheduler may have been ejected meanwhile.
 *
 *   -ENOENT  there is none
 *   -ESTALE  it is of another build, and *ret is set: it can be freed, and nothing else
 *   others   the same, for another reason; *ret may be NULL
 */
int scheduler_adopt(struct scheduler_fd fds[], unsigned nr, struct scheduler **ret);

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
const struct donor_machine *scheduler_machine(const struct scheduler *scheduler);
const struct donor_topology *scheduler_topology(const struct scheduler *scheduler);
const struct donor_domain *scheduler_domains(const struct scheduler *scheduler);
const struct donor_counters *scheduler_counters(const struct scheduler *scheduler); /* [nr_cpus] */
const struct donor_exit *scheduler_exit(const struct scheduler *scheduler);

/* Word for the kind of an exit record, for the bus: "unregistered", "stall", ... */
const char *scheduler_exit_kind(__u32 kind);
