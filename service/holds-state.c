/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/holds-state.h"
#include "service/mode.h"

#define PREFIX "holds."
#define BUS PREFIX "bus"
#define COUNT PREFIX "count"

enum {
	KEY_BYTES = 64,
	MODE_BYTES = 32,
};

enum number { COOKIE, UID, SOFT, SINCE, TIMEOUT, ENDS, OF_PROCESS, PID, FLAGS, INODE, _NUMBER_MAX };

static const struct {
	const char *name;
	uint64_t most;
} numbers[_NUMBER_MAX] = {
	[COOKIE] = { "cookie", UINT32_MAX },
	[UID] = { "uid", UINT32_MAX },
	[SOFT] = { "soft", true },
	[SINCE] = { "since", UINT64_MAX },
	[TIMEOUT] = { "timeout", UINT64_MAX },
	[ENDS] = { "ends", UINT64_MAX },
	[OF_PROCESS] = { "of-process", true },
	[PID] = { "pid", INT32_MAX },
	[FLAGS] = { "pidfd-flags", INT32_MAX },
	[INODE] = { "pidfd-inode", UINT64_MAX },
};

static const char *key_of(unsigned place, const char *name, char *buf)
{
	(void)snprintf(buf, KEY_BYTES, PREFIX "%u.%s", place, name);
	return buf;
}

static int store_numbers(const struct hold *hold, unsigned place, struct state_file *state)
{
	const uint64_t values[_NUMBER_MAX] = {
		[COOKIE] = hold->cookie,
		[UID] = hold->uid,
		[SOFT] = hold->soft,
		[SINCE] = hold->since_us,
		[TIMEOUT] = hold->timeout_us,
		[ENDS] = hold->ends_us,
		[OF_PROCESS] = hold->of_process,
		[PID] = hold->process.pid,
		[FLAGS] = hold->process.flags,
		[INODE] = hold->process.inode,
	};
	char key[KEY_BYTES];
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < _NUMBER_MAX; i++)
		r = state_set_number(state, key_of(place, numbers[i].name, key), values[i]);
	return r;
}

static int store_texts(const struct hold *hold, unsigned place, struct state_file *state)
{
	const struct {
		const char *name, *text;
	} texts[] = {
		{ "mode", mode_to_string(hold->mode) },
		{ "reason", hold->reason },
		{ "application", hold->application },
		{ "owner", hold->owner },
	};
	char key[KEY_BYTES];
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < sizeof(texts) / sizeof(texts[0]); i++)
		r = state_set_text(state, key_of(place, texts[i].name, key), texts[i].text);
	return r;
}

int holds_store(const struct holds *holds, const char *bus_id, struct state_file *state)
{
	int r;

	state_remove(state, PREFIX);
	if (holds->nr == 0)
		return 0;
	r = state_set_text(state, BUS, bus_id);
	if (r >= 0)
		r = state_set_number(state, COUNT, holds->nr);
	for (unsigned i = 0; r >= 0 && i < holds->nr; i++) {
		r = store_numbers(holds->list[i], i, state);
		if (r >= 0)
			r = store_texts(holds->list[i], i, state);
	}
	return r;
}

static bool restore_numbers(struct hold *hold, unsigned place, const struct state_file *state)
{
	uint64_t values[_NUMBER_MAX];
	char key[KEY_BYTES];

	for (unsigned i = 0; i < _NUMBER_MAX; i++)
		if (!state_get_number(state, key_of(place, numbers[i].name, key), &values[i]) ||
		    values[i] > numbers[i].most)
			return false;
	hold->cookie = values[COOKIE];
	hold->uid = values[UID];
	hold->soft = values[SOFT];
	hold->since_us = values[SINCE];
	hold->timeout_us = values[TIMEOUT];
	hold->ends_us = values[ENDS];
	hold->of_process = values[OF_PROCESS];
	hold->process = (struct process_id){ values[PID], values[FLAGS], values[INODE] };
	return hold->cookie != 0;
}

static bool restore_text(char ret[SENDER_TEXT_BYTES], unsigned place, const char *name,
			 const struct state_file *state)
{
	char key[KEY_BYTES];

	return state_get_text(state, key_of(place, name, key), ret, SENDER_TEXT_BYTES) &&
	       sender_text_check(ret) >= 0;
}

static bool restore_texts(struct hold *hold, unsigned place, const struct state_file *state)
{
	char key[KEY_BYTES], mode[MODE_BYTES];

	return state_get_text(state, key_of(place, "mode", key), mode, sizeof(mode)) &&
	       mode_from_string(mode, &hold->mode) >= 0 &&
	       restore_text(hold->reason, place, "reason", state) &&
	       restore_text(hold->application, place, "application", state) &&
	       state_get_text(state, key_of(place, "owner", key), hold->owner, sizeof(hold->owner));
}

static int restore_one(struct holds *holds, unsigned place, bool same_bus,
		       const struct state_file *state)
{
	struct hold hold = {}, *taken;

	if (!restore_numbers(&hold, place, state) || !restore_texts(&hold, place, state) ||
	    holds_find(holds, hold.cookie))
		return -EBADMSG;
	if (!same_bus)
		memset(hold.owner, 0, sizeof(hold.owner));
	return holds_take(holds, &hold, &taken);
}

int holds_restore(struct holds *holds, const char *bus_id, const struct state_file *state)
{
	char known[KEY_BYTES];
	uint64_t nr = 0;
	bool same_bus;
	int r = 0;

	(void)state_get_number(state, COUNT, &nr);
	same_bus = bus_id[0] && state_get_text(state, BUS, known, sizeof(known)) &&
		   strcmp(known, bus_id) == 0;
	for (unsigned i = 0; r >= 0 && i < nr; i++)
		r = restore_one(holds, i, same_bus, state);
	if (r < 0)
		holds_done(holds);
	return r;
}
