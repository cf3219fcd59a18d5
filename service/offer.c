/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/offer.h"

bool offer_active(const struct offer *offer, unsigned *ret)
{
	unsigned lowest = NR_POWER_PROFILES;

	for (const struct offer_hold *hold = offer->holds; hold; hold = hold->next)
		if (hold->profile < lowest)
			lowest = hold->profile;
	if (lowest == NR_POWER_PROFILES && !offer->is_chosen)
		return false;
	*ret = lowest < NR_POWER_PROFILES ? lowest : offer->chosen;
	return true;
}

struct offer_hold *offer_hold_find(const struct offer *offer, uint32_t cookie)
{
	struct offer_hold *hold = offer->holds;

	while (hold && hold->cookie != cookie)
		hold = hold->next;
	return hold;
}

/* Not to be guessed, and never 0. */
static uint32_t new_cookie(const struct offer *offer)
{
	uint32_t cookie;

	do
		cookie = arc4random();
	while (cookie == 0 || offer_hold_find(offer, cookie));
	return cookie;
}

static bool is_full(const struct offer *offer, const struct request_config *limits, uid_t uid)
{
	unsigned nr = 0, nr_of_uid = 0;

	for (const struct offer_hold *hold = offer->holds; hold; hold = hold->next) {
		nr++;
		nr_of_uid += hold->uid == uid;
	}
	return nr >= limits->max_holds || nr_of_uid >= limits->max_holds_per_uid;
}

int offer_hold_new(struct offer *offer, const struct request_config *limits, uid_t uid,
		   unsigned profile, struct offer_hold **ret)
{
	struct offer_hold *hold;

	if (is_full(offer, limits, uid))
		return -EUSERS;
	hold = calloc(1, sizeof(*hold));
	if (!hold)
		return -ENOMEM;
	hold->cookie = new_cookie(offer);
	hold->profile = profile;
	hold->uid = uid;
	hold->next = offer->holds;
	offer->holds = hold;
	*ret = hold;
	return 0;
}

void offer_hold_free(struct offer *offer, struct offer_hold *hold)
{
	struct offer_hold **link = &offer->holds;

	while (*link != hold)
		link = &(*link)->next;
	*link = hold->next;
	free(hold);
}

int profile_from_string(const char *name, unsigned *ret)
{
	for (unsigned i = 0; i < NR_POWER_PROFILES; i++)
		if (strcmp(name, profile_names[i]) == 0) {
			*ret = i;
			return 0;
		}
	return -ENOENT;
}
