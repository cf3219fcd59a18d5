/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: single parameters, set at run time. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "service/config-key.h"
#include "service/log.h"
#include "service/manager-private.h"
#include "service/parameters.h"

static void forget(struct wish *wish, const struct knob *knob)
{
	enum donor_hook hook;

	for (enum donor_mode mode = 0; mode < _DONOR_MODE_MAX; mode++)
		tuning_clear(&wish->tuned[mode], knob);
	tuning_clear(&wish->tuned_always, knob);
	if (knob_is_hook(knob, &hook))
		wish->donation[hook] = DONATION_FOLLOWS_MODE;
}

/*
 * A value for all modes replaces those for single ones: what was asked for last is in force. For
 * the switches of donation it is what SetDonation sets.
 */
static void choose(struct wish *wish, const struct parameter_request *request)
{
	const struct knob *knob = request->knob;
	enum donor_hook hook;

	if (request->has_mode && request->reset)
		return tuning_clear(&wish->tuned[request->mode], knob);
	if (request->has_mode)
		return tuning_set(&wish->tuned[request->mode], knob, request->value);
	forget(wish, knob);
	if (request->reset)
		return;
	if (knob_is_hook(knob, &hook))
		wish->donation[hook] = request->value ? DONATION_ON : DONATION_OFF;
	else
		tuning_set(&wish->tuned_always, knob, request->value);
}

static int check_bounds(struct manager *manager, const struct parameter_request *request)
{
	const struct knob *knob = request->knob;
	char values[128], text[256];

	if (request->reset || (request->value >= knob->minimum && request->value <= knob->maximum))
		return 0;
	(void)snprintf(text, sizeof(text), "%s cannot be %" PRIu64 "; it is %s.", knob->name,
		       request->value, knob_values(knob, values, sizeof(values)));
	return manager_fail(manager, -ERANGE, text);
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
	return manager_fail(manager, -ERANGE, text);
}

static void log_choice(const struct parameter_request *request, const char *who)
{
	const char *mode = request->has_mode ? mode_to_string(request->mode) : "all modes";

	if (request->reset)
		log_notice("parameter %s in %s as configured (%s)", request->knob->name, mode, who);
	else
		log_notice("parameter %s is %" PRIu64 " in %s (%s)", request->knob->name,
			   request->value, mode, who);
}

int manager_set_parameter(struct manager *manager, const struct parameter_request *request,
			  const char *who)
{
	const struct status before = manager_before(manager);
	struct wish wish = manager->wish;
	int r;

	r = check_bounds(manager, request);
	if (r < 0)
		return r;
	choose(&wish, request);
	r = check_fit(manager, &wish, request->knob);
	if (r < 0)
		return r;
	r = manager_apply(manager, &manager->inputs, &wish, who);
	if (r < 0)
		return r;
	log_choice(request, who);
	manager_announce(manager, &before, who);
	return 0;
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

/* NULL: chosen at run time. Two values that do not fit each other come from knobs.def. */
static const struct config_origin *origin(const struct manager *manager, const struct knob *knob)
{
	static const struct config_origin by_default;
	const enum donor_mode mode = manager->status.params.mode;
	const uint64_t value = knob_get(&manager->status.params, knob);
	const struct wish *wish = &manager->wish;
	enum donor_hook hook;

	if (knob_is_hook(knob, &hook) && wish->donation[hook] != DONATION_FOLLOWS_MODE)
		return wish->donation[hook] == manager->config.wish.donation[hook]
			       ? donation_origin(manager, hook)
			       : NULL;
	if (decides(&wish->tuned[mode], knob, value) || decides(&wish->tuned_always, knob, value))
		return NULL;
	if (decides(&wish->configured[mode], knob, value))
		return &manager->config.sources.knobs[mode][knob - knobs];
	return &by_default;
}

const char *manager_parameter_origin(const struct manager *manager, const struct knob *knob,
				     char *buf, size_t size)
{
	const struct config_origin *where = origin(manager, knob);

	if (where)
		return config_origin_format(&manager->config, where, buf, size);
	(void)snprintf(buf, size, "run-time");
	return buf;
}
