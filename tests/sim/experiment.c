/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads what the command line names, and runs each policy with each seed. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/exit-status.h"
#include "client/text.h"
#include "service/cleanup.h"
#include "tests/sim/experiment.h"

#define NSEC_PER_SEC 1000000000ULL
#define WATCHDOG_NS (10 * NSEC_PER_SEC) /* timeout_ms of donor.bpf.c */
#define ENDLESS_NS (10 * NSEC_PER_SEC) /* of a workload that says nothing */
#define STUCK_NS (3600 * NSEC_PER_SEC) /* the background goes on for ever, whoever is stuck */

static int load_workloads(const struct name_list *list, const struct sim_machine *machine,
			  struct workload **ret)
{
	_cleanup_(freep) char *message = NULL;

	for (unsigned i = 0; i < list->nr; i++) {
		if (workload_load(list->names[i], &ret[i], &message) < 0) {
			complain("%s", safe(message ?: "out of memory"));
			return STATUS_USAGE;
		}
		if (!workload_fits(ret[i], &machine->topology)) {
			complain("workload %s is bound to CPUs that machine %s does not have; "
				 "choose another machine",
				 safe(list->names[i]), safe(machine->name));
			return STATUS_USAGE;
		}
	}
	return 0;
}

int experiment_load(const struct cli *cli, struct experiment *ret)
{
	_cleanup_(freep) char *message = NULL;

	*ret = (struct experiment){ .cli = cli };
	ret->runs = calloc((size_t)cli->nr_policies * cli->nr_seeds, sizeof(*ret->runs));
	if (!ret->runs) {
		complain("out of memory. Close something and try again");
		return STATUS_FAILED;
	}
	if (machine_load(cli->machine, &ret->machine, &message) < 0) {
		complain("%s", safe(message ?: "out of memory"));
		return STATUS_USAGE;
	}
	return load_workloads(&cli->workloads, ret->machine, ret->workloads)
		       ?: load_workloads(&cli->backgrounds, ret->machine, ret->backgrounds);
}

void experiment_done(struct experiment *experiment)
{
	const struct cli *cli = experiment->cli;

	for (size_t i = 0; experiment->runs && i < (size_t)cli->nr_policies * cli->nr_seeds; i++) {
		struct run *run = &experiment->runs[i];

		for (unsigned j = 0; j < run->nr_groups; j++)
			free((char *)run->groups[j].name);
		free(run->groups);
		free(run->failure);
	}
	free(experiment->runs);
	for (unsigned i = 0; i < MOST_NAMES; i++) {
		workload_free(experiment->workloads[i]);
		workload_free(experiment->backgrounds[i]);
	}
	machine_free(experiment->machine);
}

/* 0: until all tasks have ended. */
static __u64 limit_ns(const struct experiment *experiment)
{
	const struct cli *cli = experiment->cli;
	__u64 limit = 0;

	if (cli->duration_ns)
		return cli->duration_ns;
	for (unsigned i = 0; i < cli->workloads.nr; i++) {
		const struct workload *workload = experiment->workloads[i];
		__u64 ns = workload_duration_ns(workload);

		if (!ns && !workload_ends(workload))
			ns = ENDLESS_NS;
		ns /= cli->scale;
		limit = ns > limit ? ns : limit;
	}
	return limit;
}

static int start(struct workload *const *workloads, const struct name_list *list, struct sim *sim,
		 const struct cli *cli, bool background)
{
	int r;

	for (unsigned i = 0; i < list->nr; i++) {
		r = workload_start(workloads[i], sim, cli->scale, background);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Names of tasks that were waited for and are left, each once. */
static void list_left(const struct sim *sim, char *list, size_t size)
{
	struct sim_task *task = NULL;
	char quoted[80];

	*list = '\0';
	while ((task = sim_next_task(sim, task))) {
		const struct task_spec *spec = task_spec(task);

		snprintf(quoted, sizeof(quoted), "'%s'", spec->name);
		if (spec->background || task_view(task)->exiting || strstr(list, quoted) ||
		    strlen(list) + strlen(quoted) + 3 > size)
			continue;
		strcat(list, *list ? ", " : "");
		strcat(list, quoted);
	}
}

/* NULL: out of memory. */
static char *complaint(int r, const struct sim *sim, bool is_limited)
{
	double now_s = (double)sim_now_ns(sim) / NSEC_PER_SEC;
	char left[256], *sentence = NULL;
	int n;

	list_left(sim, left, sizeof(left));
	if (r == -EDEADLK)
		n = asprintf(&sentence,
			     "after %.6f s all tasks wait for each other, of those that should "
			     "end: %s",
			     now_s, left);
	else if (r == -EPROTO)
		n = asprintf(&sentence, "ejected after %.6f s: %s", now_s, sim_error(sim));
	else if (r == -ETIMEDOUT && !is_limited)
		n = asprintf(&sentence,
			     "after an hour of simulated time these have not ended: %s; give a "
			     "--duration if they should not",
			     left);
	else
		n = asprintf(&sentence, "%s", strerror(-r));
	return n < 0 ? NULL : sentence;
}

static int run_to_the_end(const struct experiment *experiment, struct sim *sim, struct run *run)
{
	__u64 limit = limit_ns(experiment);
	int r = sim_run(sim, limit ?: STUCK_NS);

	if (r == 0 || (r == -ETIMEDOUT && limit))
		return 0;
	run->failure = complaint(r, sim, limit);
	return -ECANCELED;
}

static int copy_groups(struct metrics *metrics, struct run *run)
{
	const struct metrics_group *groups;
	unsigned nr = metrics_groups(metrics, &groups);

	run->groups = calloc(nr ?: 1, sizeof(*run->groups));
	if (!run->groups)
		return -ENOMEM;
	for (; run->nr_groups < nr; run->nr_groups++) {
		struct metrics_group *copy = &run->groups[run->nr_groups];

		*copy = groups[run->nr_groups];
		copy->name = strdup(copy->name);
		if (!copy->name)
			return -ENOMEM;
	}
	return 0;
}

DEFINE_CLEANUP(struct sim *, sim_free);
DEFINE_CLEANUP(struct metrics *, metrics_free);

static int run_one(const struct experiment *experiment, const struct sim_policy *policy, __u64 seed,
		   struct trace *trace, struct run *run)
{
	const struct cli *cli = experiment->cli;
	const struct sim_options options = {
		.topology = &experiment->machine->topology,
		.machine = experiment->machine,
		.policy = policy,
		.params = &cli->params,
		.seed = seed,
		.hz = cli->hz,
		.no_smt_sharing = cli->no_smt_sharing,
		.interleave = cli->interleave,
		.watchdog_ns = WATCHDOG_NS,
	};
	_cleanup_(sim_freep) struct sim *sim = NULL;
	_cleanup_(metrics_freep) struct metrics *metrics = NULL;
	int r = sim_new(&options, &sim);

	r = r ?: metrics_new(sim, &metrics);
	if (r == 0 && trace)
		r = trace_begin(trace, sim);
	r = r ?: start(experiment->workloads, &cli->workloads, sim, cli, false);
	r = r ?: start(experiment->backgrounds, &cli->backgrounds, sim, cli, true);
	if (r == 0)
		r = run_to_the_end(experiment, sim, run);
	if (trace)
		trace_end(trace);
	if (r == 0)
		metrics_finish(metrics, &run->metrics);
	return r ?: copy_groups(metrics, run);
}

static void show_progress(const struct sim_policy *policy, __u32 nr, __u32 of)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (policy)
		fprintf(stderr, "\r\033[K%s, seed %u of %u", policy->name, nr + 1, of);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

/* The same seed: both had the same work and the same luck. */
static void compare_with_pinned(struct experiment *experiment)
{
	const struct cli *cli = experiment->cli;
	struct run *pinned = NULL;

	for (unsigned i = 0; i < cli->nr_policies; i++)
		if (cli->policies[i] == &policy_pinned)
			pinned = &experiment->runs[(size_t)i * cli->nr_seeds];
	for (unsigned i = 0; pinned && i < cli->nr_policies; i++) {
		for (__u32 seed = 0; seed < cli->nr_seeds; seed++) {
			struct run *run = &experiment->runs[(size_t)i * cli->nr_seeds + seed];
			double makespan_s = pinned[seed].metrics.makespan_s;

			if (!run->failure && makespan_s > 0)
				run->over_pinned = run->metrics.makespan_s / makespan_s;
		}
	}
}

static int run_policy(struct experiment *experiment, unsigned index, struct trace *trace)
{
	const struct cli *cli = experiment->cli;
	const struct sim_policy *policy = cli->policies[index];
	int status = 0, r;

	for (__u32 i = 0; i < cli->nr_seeds; i++) {
		struct run *run = &experiment->runs[(size_t)index * cli->nr_seeds + i];

		show_progress(policy, i, cli->nr_seeds);
		r = run_one(experiment, policy, cli->first_seed + i, i ? NULL : trace, run);
		show_progress(NULL, 0, 0);
		if (r == 0)
			continue;
		if (!run->failure)
			run->failure = strdup("out of memory");
		complain("policy %s, seed %llu: %s", policy->name, cli->first_seed + i,
			 safe(run->failure));
		status = STATUS_FAILED;
	}
	return status;
}

int experiment_run(struct experiment *experiment, struct trace *trace)
{
	int status = 0;

	for (unsigned i = 0; i < experiment->cli->nr_policies; i++)
		status |= run_policy(experiment, i, trace);
	compare_with_pinned(experiment);
	return status;
}

const struct run *experiment_runs(const struct experiment *experiment, unsigned policy)
{
	return &experiment->runs[(size_t)policy * experiment->cli->nr_seeds];
}

const char *experiment_failure(const struct experiment *experiment, unsigned policy)
{
	const struct run *runs = experiment_runs(experiment, policy);

	for (__u32 i = 0; i < experiment->cli->nr_seeds; i++)
		if (runs[i].failure)
			return runs[i].failure;
	return NULL;
}
