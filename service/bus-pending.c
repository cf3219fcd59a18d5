/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "service/bus-pending.h"

enum {
	MAX_PER_USER = 8,
	MAX_BYTES = 16 * 1024, /* a message may have 128 MiB; those that wait are kept in memory */
};

struct pending {
	struct pending *next;
	sd_bus_message *request;
	sd_bus_track *sender;
	struct polkit_question *question;
	bool is_answered;
	struct pending_answer answer;
};

/* The process has one bus connection, so it has one list. */
static struct pending *all;

static struct pending *pending_free(struct pending *pending)
{
	if (!pending)
		return NULL;
	polkit_question_free(pending->question);
	sd_bus_track_unref(pending->sender);
	sd_bus_message_unref(pending->request);
	free(pending);
	return NULL;
}
DEFINE_CLEANUP(struct pending *, pending_free);

static void remove_pending(struct pending *pending)
{
	struct pending **link = &all;

	while (*link != pending)
		link = &(*link)->next;
	*link = pending->next;
	pending_free(pending);
}

static unsigned count_of_user(uid_t uid)
{
	unsigned nr = 0;

	for (const struct pending *pending = all; pending; pending = pending->next)
		nr += pending->answer.uid == uid;
	return nr;
}

static int charge(size_t *left, size_t bytes)
{
	if (bytes > *left)
		return -E2BIG;
	*left -= bytes;
	return 0;
}

static int measure_basic(sd_bus_message *message, char type, size_t *left)
{
	union {
		uint64_t number;
		const char *string;
	} value;
	int r;

	r = sd_bus_message_read_basic(message, type, &value);
	if (r < 0)
		return r;
	return strchr("sog", type) ? charge(left, strlen(value.string)) : 0;
}

static int measure(sd_bus_message *message, size_t *left);

static int measure_container(sd_bus_message *message, char type, const char *contents, size_t *left)
{
	int r;

	r = sd_bus_message_enter_container(message, type, contents);
	if (r < 0)
		return r;
	r = measure(message, left); /* D-Bus bounds the depth */
	if (r < 0)
		return r;
	return sd_bus_message_exit_container(message);
}

/* sd-bus does not tell how large a message is. */
static int measure(sd_bus_message *message, size_t *left)
{
	const char *contents;
	char type;
	int r;

	while ((r = sd_bus_message_peek_type(message, &type, &contents)) > 0) {
		r = charge(left, sizeof(uint64_t));
		if (r < 0)
			return r;
		if (strchr("arve", type))
			r = measure_container(message, type, contents, left);
		else
			r = measure_basic(message, type, left);
		if (r < 0)
			return r;
	}
	return r;
}

static int on_sender_left(sd_bus_track *track, void *userdata)
{
	remove_pending(userdata);
	return 0;
}

/* Whatever the answer, the method hears it: it is the one who replies. */
static void on_answer(void *userdata, enum polkit_answer answer, const char *text)
{
	struct pending *pending = userdata;
	int r;

	pending->is_answered = true;
	pending->answer.answer = answer;
	(void)snprintf(pending->answer.text, sizeof(pending->answer.text), "%s", text);
	r = sd_bus_enqueue_for_read(sd_bus_message_get_bus(pending->request), pending->request);
	if (r >= 0)
		return;
	(void)sd_bus_reply_method_errno(pending->request, r, NULL);
	remove_pending(pending);
}

static int ask(struct pending *pending, const char *action)
{
	sd_bus_message *request = pending->request;
	sd_bus *bus = sd_bus_message_get_bus(request);
	int r;

	r = sd_bus_track_new(bus, &pending->sender, on_sender_left, pending);
	if (r < 0)
		return r;
	r = sd_bus_track_add_sender(pending->sender, request);
	if (r < 0)
		return r;
	return polkit_ask(&pending->question, bus, sd_bus_message_get_sender(request), action,
			  sd_bus_message_get_allow_interactive_authorization(request), on_answer,
			  pending);
}

int pending_add(sd_bus_message *request, uid_t uid, const char *action)
{
	_cleanup_(pending_freep) struct pending *pending = NULL;
	size_t left = MAX_BYTES;
	int r;

	if (count_of_user(uid) >= MAX_PER_USER)
		return -EUSERS;
	r = measure(request, &left);
	if (r < 0)
		return r;
	pending = calloc(1, sizeof(*pending));
	if (!pending)
		return -ENOMEM;
	pending->request = sd_bus_message_ref(request);
	pending->answer.uid = uid;
	r = ask(pending, action);
	if (r < 0)
		return r;
	pending->next = all;
	all = steal_pointer(pending);
	return 0;
}

int pending_take(sd_bus_message *request, struct pending_answer *ret)
{
	struct pending *pending = all;

	while (pending && pending->request != request)
		pending = pending->next;
	if (!pending || !pending->is_answered)
		return -ENOENT;
	*ret = pending->answer;
	remove_pending(pending);
	return 0;
}

void pending_done(void)
{
	while (all)
		remove_pending(all);
}
