/* SPDX-License-Identifier: GPL-2.0-only */

#include <string.h>

#include "service/retry.h"

void retry_forgive(struct retry *retry)
{
	retry->nr_faults = 0;
	retry->nr_restarts = 0;
}

static uint64_t pause_us(const struct attach_config *rules, unsigned nr_before)
{
	uint64_t pause = rules->min_us;

	while (nr_before-- > 0 && pause < rules->max_us)
		pause *= 2;
	return pause < rules->max_us ? pause : rules->max_us;
}

static void forget_oldest(struct retry *retry)
{
	retry->nr_faults--;
	memmove(&retry->faults_us[0], &retry->faults_us[1],
		retry->nr_faults * sizeof(retry->faults_us[0]));
}

static struct retry_verdict after_fault(struct retry *retry, const struct attach_config *rules,
					uint64_t now_us)
{
	unsigned limit = rules->limit < RETRY_MAX_FAULTS ? rules->limit : RETRY_MAX_FAULTS;

	while (retry->nr_faults > 0 && now_us - retry->faults_us[0] > rules->window_us)
		forget_oldest(retry);
	if (retry->nr_faults == RETRY_MAX_FAULTS)
		forget_oldest(retry);
	retry->faults_us[retry->nr_faults++] = now_us;
	return (struct retry_verdict){
		.again = retry->nr_faults < limit,
		.delay_us = pause_us(rules, retry->nr_faults - 1),
	};
}

static struct retry_verdict after_restart(struct retry *retry, const struct attach_config *rules,
					  uint64_t now_us)
{
	unsigned nr_before;

	if (now_us - retry->last_restart_us > rules->window_us)
		retry->nr_restarts = 0;
	retry->last_restart_us = now_us;
	nr_before = retry->nr_restarts++;
	return (struct retry_verdict){
		.again = true,
		.delay_us = nr_before ? pause_us(rules, nr_before - 1) : 0,
	};
}

struct retry_verdict retry_after(struct retry *retry, const struct attach_config *rules,
				 enum exit_cause cause, uint64_t now_us, uint64_t attached_us)
{
	if (cause == EXIT_ORDER || attached_us >= rules->stable_us)
		retry_forgive(retry);
	switch (cause) {
	case EXIT_FAULT:
		return after_fault(retry, rules, now_us);
	case EXIT_RESTART:
		return after_restart(retry, rules, now_us);
	case EXIT_ORDER:
		break;
	}
	return (struct retry_verdict){};
}
