/* SPDX-License-Identifier: GPL-2.0-only */

/* scheduler.h for a build without BPF: it can be asked, and says that it cannot. */

#include <errno.h>
#include <stdio.h>

#include "service/scheduler.h"

int scheduler_load(const struct donor_topology *topology, struct scheduler **ret,
		   struct scheduler_error *ret_error)
{
	(void)snprintf(ret_error->text, sizeof(ret_error->text),
		       "This donord was built without BPF; install one that was not.");
	return -EOPNOTSUPP;
}

int scheduler_attach(struct scheduler *scheduler, const struct donor_params *params,
		     struct scheduler_error *ret_error)
{
	return -EOPNOTSUPP;
}

void scheduler_detach(struct scheduler *scheduler)
{
}

struct scheduler *scheduler_free(struct scheduler *scheduler)
{
	return NULL;
}

struct scheduler *scheduler_release(struct scheduler *scheduler)
{
	return NULL;
}

int scheduler_drop_privileges(void)
{
	return -EOPNOTSUPP;
}

bool scheduler_can_load(void)
{
	return true;
}

unsigned scheduler_fds(const struct scheduler *scheduler, struct scheduler_fd ret[SCHEDULER_MAX_FDS])
{
	return 0;
}

int scheduler_adopt(struct scheduler_fd fds[], unsigned nr, struct scheduler **ret)
{
	return -ENOENT;
}

bool scheduler_is_attached(const struct scheduler *scheduler)
{
	return false;
}

int scheduler_set_params(struct scheduler *scheduler, const struct donor_params *params)
{
	return -EOPNOTSUPP;
}

/* There is never a scheduler to look into. */

const struct donor_params *scheduler_params(const struct scheduler *scheduler)
{
	return NULL;
}

const struct donor_machine *scheduler_machine(const struct scheduler *scheduler)
{
	return NULL;
}

const struct donor_topology *scheduler_topology(const struct scheduler *scheduler)
{
	return NULL;
}

const struct donor_domain *scheduler_domains(const struct scheduler *scheduler)
{
	return NULL;
}

const struct donor_counters *scheduler_counters(const struct scheduler *scheduler)
{
	return NULL;
}

const struct donor_exit *scheduler_exit(const struct scheduler *scheduler)
{
	return NULL;
}

const char *scheduler_exit_kind(__u32 kind)
{
	return "";
}
