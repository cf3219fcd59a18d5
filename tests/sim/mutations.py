# SPDX-License-Identifier: GPL-2.0-only
"""Faults that the scenarios must find: what is changed, which test fails, and what it says."""

from dataclasses import dataclass

PLACEMENT, CHANGE, FAIRNESS, LATENCY, FRAMES, SEED = "placement", "change", "fairness", "latency", "frames", "seed"


@dataclass(frozen=True)
class Mutation:
    name: str
    file: str
    old: str
    new: str
    program: str  # test-scenario-*, or test_seed.py
    test: str  # that must fail, of that program
    says: str  # a pattern in its output


MUTATIONS = [
    Mutation(
        "two threads of a core do not slow each other", "tests/sim/speed.c",
        "if (!sim->options.no_smt_sharing && cpu->curr", "if (false && cpu->curr",
        SEED, "test_workers_run_as_if_bound_by_hand", "lavd-before",
    ),
    Mutation(
        "no donation", "bpf/policy/donate.h",
        "return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;", "return false;",
        PLACEMENT, "each_hog_gets_a_core", "!= 0",
    ),
    Mutation(
        "each link of a chain where it ran before", "bpf/policy/share.h",
        "				waker->avg_run_ns / 4 * 3;", "				waker->avg_run_ns * 1000;",
        FRAMES, "a_chain_takes_one_core", "shared in vain",
    ),
    Mutation(
        "beside a hog rather than a link", "bpf/policy/share.h",
        "!home->state->running_rests || !beside", "home->state->running_rests || !beside",
        FRAMES, "a_chain_takes_one_core", "shared in vain",
    ),
    Mutation(
        "whole cores that the kernel has lost stay lost", "bpf/policy/idle.h",
        "return cpu >= 0 ? cpu : env_claim_lost_core(env, domain);", "return cpu;",
        PLACEMENT, "a_core_that_the_kernel_lost_is_used", "shared in vain",
    ),
    Mutation(
        "no donation, and a crowd", "bpf/policy/donate.h",
        "return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;", "return false;",
        PLACEMENT, "a_crowd_spreads", "!= 0",
    ),
    Mutation(
        "who slept often once is waited for, ever after", "bpf/policy/scheduler.h",
        "task->criticality = criticality_of_long_run(task, env_task_weight(env));", ";",
        SEED, "test_sound_goes_before_who_slept_once", "wakeup_p99_us",
    ),
    Mutation(
        "no donation, and the workers", "bpf/policy/donate.h",
        "return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;", "return false;",
        SEED, "test_workers_run_as_if_bound_by_hand", "over_pinned",
    ),
    Mutation(
        "switches of donation ignored", "bpf/policy/donate.h",
        "return hook == DONOR_HOOK_SELECT_CPU ? params->donate_select_cpu : params->donate_enqueue;", "return true;",
        CHANGE, "modes_change_under_load", "P6: ",
    ),
    Mutation(
        "donation to the busier", "bpf/policy/donate.h",
        "return (donate_nr_busy(to) + 1) * from->nr_active <", "return (donate_nr_busy(to) + 1) * from->nr_active >",
        PLACEMENT, "each_hog_gets_a_core", "P5: |!= 0",
    ),
    Mutation(
        "donation whoever is busier", "bpf/policy/donate.h",
        "	if (!donate_gains(giver->d, giver->topology, taker))", "	if (false)",
        PLACEMENT, "the_busier_domain_is_given_nothing", "P5: ",
    ),
    Mutation(
        "a task that left the queue is still counted", "bpf/policy/queue.h",
        "if (task->queued_domain != DONOR_NONE)", "if (false)",
        FAIRNESS, "equals_get_the_same", "P9: ",
    ),
    Mutation(
        "a core that becomes busy still counts as idle", "bpf/policy/idle.h",
        "__sync_fetch_and_add(&domain->nr_idle_cores, -1);", "__sync_fetch_and_add(&domain->nr_idle_cores, 0);",
        PLACEMENT, "each_hog_gets_a_core", "P10: ",
    ),
    Mutation(
        "a CPU that goes offline stays in use", "bpf/policy/idle.h",
        "cpu_set_active(env, cpu, state, online);", "cpu_set_active(env, cpu, state, true);",
        CHANGE, "processors_come_and_go", "P10: ",
    ),
    Mutation(
        "the mask is not asked for the last CPU", "bpf/policy/placement.h",
        "ret_home->state->active &&\n	    env_task_allowed(env, prev))", "ret_home->state->active)",
        CHANGE, "masks_change", "P[13]: ",
    ),
    Mutation(
        "no thief", "bpf/policy/scheduler.h",
        "thief = balance_thief(env, domain);", "thief = -1;",
        PLACEMENT, "a_burst_finds_every_cpu", "P4: |violation",
    ),
    Mutation(
        "no steal", "bpf/policy/balance.h",
        "if (d && d->nr_queued && env_take(env, domain_queue(victim)))", "if (false)",
        PLACEMENT, "a_burst_finds_every_cpu", "P4: |violation",
    ),
    Mutation(
        "restricted work of another CPU is left", "bpf/policy/scheduler.h",
        "if (queue_take_restricted(env, state, domain))", "if (false)",
        PLACEMENT, "half_a_domain_is_used", "P4: ",
    ),
    Mutation(
        "the clock of a domain stands still", "bpf/policy/deadline.h",
        "if (vtime_before(domain->vtime_ns, task->vtime_ns))", "if (false)",
        FAIRNESS, "weight_is_service", "ratio |P8: ",
    ),
    Mutation(
        "weight is not service", "bpf/policy/task.h",
        "task->vtime_ns += scale_by_weight(ran_ns, weight);", "task->vtime_ns += ran_ns;",
        FAIRNESS, "weight_is_service", "ratio ",
    ),
    Mutation(
        "debts grow without end", "bpf/policy/deadline.h",
        "if (vtime_before(latest, task->vtime_ns))", "if (false)",
        FAIRNESS, "the_lightest_is_not_taken_for_lost", "P8: |watchdog",
    ),
    Mutation(
        "no pull", "bpf/policy/balance.h",
        "if (d->pull <= 0 || !env_params(env)->steal)", "if (true)",
        FAIRNESS, "equals_get_the_same", "hogs: ",
    ),
    Mutation(
        "nobody is interrupted", "bpf/policy/preempt.h",
        "	return PREEMPT_KICK;\n", "	return PREEMPT_LIMITED;\n",
        LATENCY, "sound_goes_before_a_crowd", "missed",
    ),
    Mutation(
        "no second placement", "bpf/policy/balance.h",
        "	task->replaced_at_ns = env_now_ns(env);\n	return true;", "	return false;",
        PLACEMENT, "who_shares_moves_when_a_core_falls_idle", "!= 0",
    ),
    Mutation(
        "a CPU out of use serves nobody", "bpf/policy/scheduler.h",
        "	if (!domain)\n		return;\n	if (scheduler_take_elsewhere(env, balance_pull", "	if (!domain || !state->active)\n		return;\n	if (scheduler_take_elsewhere(env, balance_pull",
        CHANGE, "compaction_strands_nobody", "P8: ",
    ),
    Mutation(
        "all CPUs stay in use", "bpf/policy/compact.h",
        "	if (!one)\n		return DONOR_MAX_CPUS;", "	if (true)\n		return DONOR_MAX_CPUS;",
        CHANGE, "compaction_strands_nobody", "nr_active",
    ),
    Mutation(
        "the queue of the domain always goes first", "bpf/policy/queue.h",
        "	return state->domain_turn;", "	return true;",
        LATENCY, "bound_threads_are_served", "P8: ",
    ),
]
