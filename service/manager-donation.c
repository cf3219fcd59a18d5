/* SPDX-License-Identifier: GPL-2.0-only */

/* The manager: donation as the configuration has it, or as somebody chose it. */

#include <string.h>

#include "service/manager-private.h"

static const char *const choices[] = {
	[DONATION_FOLLOWS_MODE] = "mode",
	[DONATION_OFF] = "off",
	[DONATION_ON] = "on",
};

enum { NR_CHOICES = sizeof(choices) / sizeof(choices[0]) };

static void key_of(enum donor_hook hook, char *buf, size_t size)
{
	(void)snprintf(buf, size, "donation.%s", hook_to_string(hook));
}

static void forget(struct manager *manager, enum donor_hook hook)
{
	char key[32];

	key_of(hook, key, sizeof(key));
	state_remove(manager->state, key);
	state_remove(manager->boot_state, key);
}

/* What the configuration says as well needs no keeping. */
static int store(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
		 bool persist)
{
	char key[32];

	forget(manager, hook);
	if (choice == manager->config.wish.donation[hook])
		return 0;
	key_of(hook, key, sizeof(key));
	return state_set_text(persist ? manager->state : manager->boot_state, key, choices[choice]);
}

static int keep(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
		bool persist)
{
	int r;

	r = store(manager, hook, choice, persist);
	return r < 0 ? r : manager_save_state(manager, persist);
}

static bool find(const struct state_file *state, enum donor_hook hook, enum donation_choice *ret)
{
	char key[32], word[8];

	key_of(hook, key, sizeof(key));
	if (!state_get_text(state, key, word, sizeof(word)))
		return false;
	for (unsigned choice = 0; choice < NR_CHOICES; choice++)
		if (strcmp(word, choices[choice]) == 0) {
			*ret = choice;
			return true;
		}
	return false;
}

void manager_restore_donation(struct manager *manager)
{
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++) {
		enum donation_choice *choice = &manager->wish.donation[hook];

		manager->donation_persists[hook] = find(manager->state, hook, choice);
		if (!manager->donation_persists[hook])
			(void)find(manager->boot_state, hook, choice);
	}
}

int manager_set_donation(struct manager *manager, enum donor_hook hook, enum donation_choice choice,
			 bool persist, const char *who)
{
	const struct status before = manager_before(manager);
	const enum donation_choice old = manager->wish.donation[hook];
	struct wish wish = manager->wish;
	int r;

	wish.donation[hook] = choice;
	r = keep(manager, hook, choice, persist);
	if (r >= 0)
		r = manager_apply(manager, &manager->inputs, &wish, who);
	if (r < 0) {
		(void)store(manager, hook, old, manager->donation_persists[hook]);
		(void)manager_save_state(manager, false);
		return r;
	}
	manager->donation_persists[hook] = persist;
	manager_announce(manager, &before, who);
	return 0;
}

void manager_configure_donation(struct manager *manager, const struct config *old)
{
	for (enum donor_hook hook = 0; hook < _DONOR_HOOK_MAX; hook++)
		if (manager->config.wish.donation[hook] != old->wish.donation[hook])
			forget(manager, hook);
	(void)manager_save_state(manager, false);
}
