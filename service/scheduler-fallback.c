/* SPDX-License-Identifier: GPL-2.0-only */

/* scheduler.h for a build without BPF: it can be asked, and says that it cannot. */

#include <errno.h>
#include <stdio.h>

#include "service/scheduler.h"

int scheduler_attach(const struct donor_topology *topology, const struct donor_params *params,
		     struct scheduler **ret, struct scheduler_error *ret_error)
{
	(void)snprintf(ret_error->text, sizeof(ret_error->text),
		       "This donord was built without BPF; install one that was not.");
	return -EOPNOTSUPP;
}

struct scheduler *scheduler_free(struct scheduler *scheduler)
{
	return NULL;
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
