/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: single parameters, set at run time. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "service/config-key.h"
#include "service/log.h"
#include "service/manager-private.h"
#include "service/parameters.h"
#include "service/tuning-state.h"

/* A value for all modes replaces those for single ones: what was asked for last is in force. */
static void choose(struct wish *wish, const struct parameter_request *request)
{
	const struct knob *knob = request->knob;
	struct tuning *tuning =
		request->has_mode ? &wish->tuned[request->mode] : &wish->tuned_always;

	for (enum donor_mode mode = 0; !request->has_mode && mode < _DONOR_MODE_MAX; mode++)
		tuning_clear(&wish->tuned[mode], knob);
	if (request->reset)
		tuning_clear(tuning, knob);
	else
		tuning_set(tuning, knob, request->value, request->persist);
}

static int check_bounds(struct manager *manager, const struct parameter_request *request)
{
	const struct knob *knob = request->knob;
	char values[128], text[256];

	if (request->reset || (request->value >= knob->minimum && request->value <= knob->maximum))
		return 0;
	(void)snprintf(text, sizeof(text), "%s cannot be %" PRIu64 "; it is %s.", knob->name,
		       request->value, knob_values(knob, values, sizeof(values)));
	return manager_fail(manager, -EINVAL, text);
}

static int check_fit(struct manager *manager, const struct wish *wish, const struct knob *knob)
{
	enum donor_mode mode;
	struct knob_pair pair;
	char text[384];

	if (wish_check(wish, knob, &mode, &pair) >= 0)
		return 0;
	(void)snprintf(text, sizeof(text),
		       "Then %s would be above %s in mode %s; change the other one first, or this "
		       "one in another mode only. 'donorctl modes' shows both.",
		       pair.small->name, pair.large->name, mode_to_string(mode));
	return manager_fail(manager, -EINVAL, text);
}

static void log_choice(const struct parameter_request *request, const char *who)
{
	char value[24];

	(void)snprintf(value, sizeof(value), "%" PRIu64, request->value);
	log_event(EVENT_PARAMETER_CHANGED, .parameter = request->knob->name,
		  .value = request->reset ? "auto" : value,
		  .mode = request->has_mode ? mode_to_string(request->mode) : "all", .reason = who);
}

/* In all modes a switch of donation is what SetDonation sets: there is one such choice. */
static int set_hook(struct manager *manager, enum donor_hook hook,
		    const struct parameter_request *request, const char *who)
{
	enum donation_choice choice = request->reset   ? DONATION_FOLLOWS_MODE
				      : request->value ? DONATION_ON
						       : DONATION_OFF;

	return manager_set_donation(manager, hook, choice, request->persist, who);
}

static int store(struct manager *manager, const struct wish *wish, const struct knob *knob)
{
	int r;

	r = tuning_state_store(manager->state, true, wish, knob);
	return r < 0 ? r : tuning_state_store(manager->boot_state, false, wish, knob);
}

static int keep(struct manager *manager, const struct wish *wish,
		const struct parameter_request *request)
{
	int r;

	r = store(manager, wish, request->knob);
	return r < 0 ? r : manager_save_state(manager, request->persist);
}

static int apply_and_keep(struct manager *manager, const struct wish *wish,
			  const struct parameter_request *request, const char *who)
{
	const struct wish old = manager->wish;
	int r;

	r = manager_apply(manager, &manager->inputs, wish, who);
	if (r < 0)
		return r;
	r = keep(manager, wish, request);
	if (r >= 0)
		return 0;
	(void)store(manager, &old, request->knob);
	(void)manager_apply(manager, &manager->inputs, &old, who);
	return r;
}

int manager_set_parameter(struct manager *manager, const struct parameter_request *request,
			  const char *who)
{
	const struct status before = manager_before(manager);
	struct wish wish = manager->wish;
	enum donor_hook hook;
	int r;

	r = check_bounds(manager, request);
	if (r < 0)
		return r;
	choose(&wish, request);
	r = check_fit(manager, &wish, request->knob);
	if (r < 0)
		return r;
	if (!request->has_mode && knob_is_hook(request->knob, &hook))
		return set_hook(manager, hook, request, who);
	r = apply_and_keep(manager, &wish, request, who);
	if (r < 0)
		return r;
	log_choice(request, who);
	manager_announce(manager, &before, who);
	return 0;
}

void manager_restore_parameters(struct manager *manager)
{
	tuning_state_load(manager->boot_state, false, &manager->wish);
	tuning_state_load(manager->state, true, &manager->wish);
}

static const struct config_origin *donation_origin(const struct manager *manager,
						   enum donor_hook hook)
{
	static const char *const names[_DONOR_HOOK_MAX] = {
		[DONOR_HOOK_SELECT_CPU] = "SelectCpu",
		[DONOR_HOOK_ENQUEUE] = "Enqueue",
	};

	return &manager->config.sources.keys[config_key_find("Donation", names[hook]) - config_keys];
}

/* Whether this tuning is where the value in force comes from. */
static bool decides(const struct tuning *tuning, const struct knob *knob, uint64_t value)
{
	return tuning_has(tuning, knob) && tuning->values[knob - knobs] == value;
}

/* "persistent" or "run-time"; NULL: neither of them. */
static const char *run_time_origin(const struct manager *manager, const struct knob *knob)
{
	const enum donor_mode mode = manager->status.params.mode;
	const uint64_t value = knob_get(&manager->status.params, knob);
	const struct tuning *tuned = &manager->wish.tuned[mode];

	if (!decides(tuned, knob, value))
		tuned = &manager->wish.tuned_always;
	if (!decides(tuned, knob, value))
		return NULL;
	return tuning_persists(tuned, knob) ? "persistent" : "run-time";
}

/* Two values that do not fit each other come from knobs.def, whatever the files say. */
static const struct config_origin *file_origin(const struct manager *manager,
					       const struct knob *knob)
{
	static const struct config_origin by_default;
	const enum donor_mode mode = manager->status.params.mode;
	const uint64_t value = knob_get(&manager->status.params, knob);

	return decides(&manager->wish.configured[mode], knob, value)
		       ? &manager->config.sources.knobs[mode][knob - knobs]
		       : &by_default;
}

const char *manager_parameter_origin(const struct manager *manager, const struct knob *knob,
				     char *buf, size_t size)
{
	const struct config_origin *where = file_origin(manager, knob);
	const char *word = run_time_origin(manager, knob);
	enum donor_hook hook;

	if (knob_is_hook(knob, &hook) && manager->wish.donation[hook] != DONATION_FOLLOWS_MODE) {
		where = donation_origin(manager, hook);
		word = manager->wish.donation[hook] == manager->config.wish.donation[hook] ? NULL
		       : manager->donation_persists[hook] ? "persistent"
							  : "run-time";
	}
	if (!word)
		return config_origin_format(&manager->config, where, buf, size);
	(void)snprintf(buf, size, "%s", word);
	return buf;
}
