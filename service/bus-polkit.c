/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * polkit's D-Bus interface, as much as a service needs of it. The client is named by its name on
 * the bus: polkit asks the bus whose that is, so no process can be mistaken for another that had
 * the same number.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "service/bus-polkit.h"

#define POLKIT_NAME "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"

#define RULES_TIMEOUT_US 0 /* the library's, 25 s: rules are scripts, and may start programs */
#define PERSON_TIMEOUT_US (UINT64_C(300) * 1000 * 1000)

enum { ALLOW_USER_INTERACTION = 1 };

struct polkit_question {
	sd_bus *bus;
	sd_bus_slot *slot;
	char cancellation_id[32];
	bool is_open;
	polkit_handler_t handler;
	void *userdata;
};

/* Nobody has the name, and nobody could be started who would take it. */
static bool is_absence(const sd_bus_error *error)
{
	static const char *const prefixes[] = {
		SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
		"org.freedesktop.DBus.Error.Spawn.",
		"org.freedesktop.systemd1.", /* its unit is masked, missing or broken */
	};

	for (unsigned i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(error->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_timeout(const sd_bus_error *error)
{
	return sd_bus_error_has_name(error, SD_BUS_ERROR_TIMEOUT) ||
	       sd_bus_error_has_name(error, "System.Error.ETIMEDOUT") ||
	       sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY);
}

static enum polkit_answer read_error(const sd_bus_error *error, const char **ret_text)
{
	if (is_absence(error))
		return POLKIT_ABSENT;
	*ret_text = is_timeout(error) || !error->message ? "it gave no answer" : error->message;
	return POLKIT_FAILED;
}

static enum polkit_answer read_answer(sd_bus_message *reply, const char **ret_text)
{
	int is_authorized, is_challenge, r;

	r = sd_bus_message_enter_container(reply, 'r', "bba{ss}");
	if (r >= 0)
		r = sd_bus_message_read(reply, "bb", &is_authorized, &is_challenge);
	if (r < 0) {
		*ret_text = "its answer has another form than is known";
		return POLKIT_FAILED;
	}
	if (is_authorized)
		return POLKIT_YES;
	return is_challenge ? POLKIT_CHALLENGE : POLKIT_NO;
}

static int on_reply(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error)
{
	struct polkit_question *question = userdata;
	const sd_bus_error *error = sd_bus_message_get_error(reply);
	enum polkit_answer answer;
	const char *text = "";

	answer = error ? read_error(error, &text) : read_answer(reply, &text);
	/* After a time-out on our side polkit is still at it. */
	question->is_open = error && is_timeout(error);
	question->handler(question->userdata, answer, text);
	return 1;
}

static int new_call(struct polkit_question *question, const char *member, sd_bus_message **ret)
{
	return sd_bus_message_new_method_call(question->bus, ret, POLKIT_NAME, POLKIT_PATH,
					      POLKIT_INTERFACE, member);
}

static int check_authorization(struct polkit_question *question, const char *client,
			       const char *action, bool is_interactive)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL;
	int r;

	r = new_call(question, "CheckAuthorization", &call);
	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s",
				  client, action, 0, is_interactive ? ALLOW_USER_INTERACTION : 0,
				  question->cancellation_id);
	if (r < 0)
		return r;
	return sd_bus_call_async(question->bus, &question->slot, call, on_reply, question,
				 is_interactive ? PERSON_TIMEOUT_US : RULES_TIMEOUT_US);
}

static int cancel(struct polkit_question *question)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL;
	int r;

	r = new_call(question, "CancelCheckAuthorization", &call);
	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "s", question->cancellation_id);
	if (r < 0)
		return r;
	r = sd_bus_message_set_auto_start(call, false);
	if (r < 0)
		return r;
	r = sd_bus_message_set_expect_reply(call, false);
	if (r < 0)
		return r;
	return sd_bus_send(question->bus, call, NULL);
}

int polkit_ask(struct polkit_question **ret, sd_bus *bus, const char *client, const char *action,
	       bool is_interactive, polkit_handler_t handler, void *userdata)
{
	_cleanup_(polkit_question_freep) struct polkit_question *question = NULL;
	static uint64_t nr_asked; /* polkit wants each open question of a service to differ */
	int r;

	question = calloc(1, sizeof(*question));
	if (!question)
		return -ENOMEM;
	question->bus = sd_bus_ref(bus);
	question->handler = handler;
	question->userdata = userdata;
	(void)snprintf(question->cancellation_id, sizeof(question->cancellation_id),
		       "donor-%" PRIu64, ++nr_asked);
	r = check_authorization(question, client, action, is_interactive);
	if (r < 0)
		return r;
	question->is_open = true;
	*ret = steal_pointer(question);
	return 0;
}

struct polkit_question *polkit_question_free(struct polkit_question *question)
{
	if (!question)
		return NULL;
	if (question->is_open)
		(void)cancel(question);
	sd_bus_slot_unref(question->slot);
	sd_bus_unref(question->bus);
	free(question);
	return NULL;
}
