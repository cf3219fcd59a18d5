/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/fuzz.h"
#include "tests/sim/policy-donor.h"

/* Parameters, and what changes while tasks run. */

#define MS 1000000ULL

enum change {
	CHANGE_NOTHING,
	CHANGE_PARAMS,
	CHANGE_DONATION,
	CHANGE_MASK,
	CHANGE_NICE,
	CHANGE_ONLINE,
	_CHANGE_MAX,
};

static struct donor_params of_mode(__u32 mode)
{
	struct donor_params params = { .mode = mode };

#define KNOB(name, unit, minimum, maximum, power, balanced, performance, help)                     \
	params.name = mode == DONOR_MODE_POWER	    ? power                                        \
		      : mode == DONOR_MODE_BALANCED ? balanced                                     \
						    : performance;
#include "bpf/knobs.def"
#undef KNOB
	return params;
}

/* Of a byte each: most knobs stay as the mode has them. */
static void draw_knobs(struct fuzz_input *input, struct donor_params *params)
{
#define KNOB(name, unit, minimum, maximum, ...)                                                    \
	if (fuzz_draw(input, 4) == 3)                                                              \
		params->name = fuzz_draw_between(input, minimum, maximum);
#include "bpf/knobs.def"
#undef KNOB
}

static __u64 most(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* What the sound bounds of waiting are made of. */
static void note_params(struct fuzz *fuzz)
{
	const struct donor_params *p = &fuzz->params;
	__u64 slice_ns = most(p->slice_min_ns, p->slice_max_ns);
	__u64 lag_ns = p->debt_max_ns + p->sleeper_credit_ns;

	lag_ns += most(p->latency_min_ns, p->latency_max_ns);
	fuzz->most_slice_ns = most(fuzz->most_slice_ns, slice_ns);
	fuzz->most_lag_ns = most(fuzz->most_lag_ns, lag_ns);
}

void fuzz_params(struct fuzz *fuzz)
{
	__u32 mode = fuzz_draw(&fuzz->input, 2 * _DONOR_MODE_MAX);

	fuzz->params = of_mode(mode % _DONOR_MODE_MAX);
	if (mode >= _DONOR_MODE_MAX)
		draw_knobs(&fuzz->input, &fuzz->params);
	if (fuzz->promises.conserves) {
		fuzz->params.steal = 1;
		fuzz->params.active_load_pct = 0;
	}
	note_params(fuzz);
}

/* Some task that lives and is ours. */
static struct sim_task *draw_task(struct fuzz *fuzz)
{
	__u32 which = fuzz_draw(&fuzz->input, 64);
	struct sim_task *p = NULL;

	while ((p = sim_next_task(fuzz->sim, p)))
		if (!task_view(p)->exiting && !which--)
			return p;
	return NULL;
}

/* The kernel refuses any other. */
static bool has_online_cpu(const struct fuzz *fuzz, const cpu_set_t *mask)
{
	for (__u32 cpu = 0; cpu < fuzz->machine->topology.nr_cpus; cpu++)
		if (CPU_ISSET(cpu, mask) && cpu_is_online(fuzz->sim, (__s32)cpu))
			return true;
	return false;
}

static void change_mask(struct fuzz *fuzz)
{
	struct sim_task *task = draw_task(fuzz);
	cpu_set_t mask = fuzz_mask(&fuzz->input, fuzz->machine);

	if (task && has_online_cpu(fuzz, &mask) && !fuzz->promises.conserves &&
	    !fuzz->promises.bounded)
		sim_set_allowed(fuzz->sim, task, &mask);
}

static void change_nice(struct fuzz *fuzz)
{
	struct sim_task *task = draw_task(fuzz);
	__s32 nice = (__s32)fuzz_draw(&fuzz->input, 40) - 20;

	if (task && !fuzz->promises.bounded)
		sim_set_nice(fuzz->sim, task, nice);
}

static void change_online(struct fuzz *fuzz)
{
	__s32 cpu = (__s32)fuzz_draw(&fuzz->input, fuzz->machine->topology.nr_cpus);

	if (fuzz->machine->topology.cpus[cpu].domain == DONOR_NONE)
		return;
	if (!fuzz->promises.conserves && !fuzz->promises.bounded)
		sim_set_online(fuzz->sim, cpu, !cpu_is_online(fuzz->sim, cpu));
}

static void change_donation(struct fuzz *fuzz)
{
	__u32 bits = fuzz_draw(&fuzz->input, 4);

	fuzz->params.donate_select_cpu = bits & 1;
	fuzz->params.donate_enqueue = bits >> 1;
	donor_sim_set_params(fuzz->sim, &fuzz->params);
}

static void change(struct sim *sim, void *data);

static void plan_change(struct fuzz *fuzz)
{
	__u64 delay_ns = fuzz_draw_between(&fuzz->input, MS / 20, 100 * MS);

	if (fuzz->input.at < fuzz->input.end)
		sim_at(fuzz->sim, sim_now_ns(fuzz->sim) + delay_ns, change, fuzz);
}

static void change(struct sim *sim, void *data)
{
	struct fuzz *fuzz = data;

	switch ((enum change)fuzz_draw(&fuzz->input, _CHANGE_MAX)) {
	case CHANGE_PARAMS:
		if (fuzz->promises.bounded || fuzz->promises.conserves)
			break; /* the bounds are made of those of the start */
		fuzz_params(fuzz);
		donor_sim_set_params(sim, &fuzz->params);
		break;
	case CHANGE_DONATION:
		change_donation(fuzz);
		break;
	case CHANGE_MASK:
		change_mask(fuzz);
		break;
	case CHANGE_NICE:
		change_nice(fuzz);
		break;
	case CHANGE_ONLINE:
		change_online(fuzz);
		break;
	default:
		break;
	}
	plan_change(fuzz);
}

void fuzz_changes(struct fuzz *fuzz)
{
	plan_change(fuzz);
}
