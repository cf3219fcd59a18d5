/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * Who may do what. polkit may take as long as a person takes to type a password, so a request that
 * needs it is put aside, and comes out of the bus connection once more when there is an answer.
 */

#include <errno.h>
#include <unistd.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-pending.h"

static const char *const action_ids[_ACCESS_MAX] = {
	[ACCESS_SET_MODE] = DONOR_ACTION_SET_MODE,
	[ACCESS_HOLD_MODE] = DONOR_ACTION_HOLD_MODE,
	[ACCESS_CONFIGURE_DONATION] = DONOR_ACTION_CONFIGURE_DONATION,
	[ACCESS_ADMINISTER] = DONOR_ACTION_ADMINISTER,
	[ACCESS_READ_TASK_STATS] = DONOR_ACTION_READ_TASK_STATS,
};

static int get_uid(sd_bus_message *message, uid_t *ret)
{
	_cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;
	int r;

	/* The bus is asked, which knows at once. */
	r = sd_bus_query_sender_creds(message, SD_BUS_CREDS_EUID, &creds);
	if (r < 0)
		return r;
	return sd_bus_creds_get_euid(creds, ret);
}

static int refuse_challenge(sd_bus_message *message, uid_t uid, const char *id, sd_bus_error *error)
{
	bool is_interactive = sd_bus_message_get_allow_interactive_authorization(message);

	return sd_bus_error_setf(error, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
				 "uid %u has to authenticate for %s, and %s.", (unsigned)uid, id,
				 is_interactive ? "no agent runs that could ask for it"
						: "the request does not allow to ask for it");
}

static int decide(sd_bus_message *message, const struct pending_answer *answer, const char *id,
		  sd_bus_error *error)
{
	switch (answer->answer) {
	case POLKIT_YES:
		return 1;
	case POLKIT_CHALLENGE:
		return refuse_challenge(message, answer->uid, id, error);
	case POLKIT_ABSENT:
		return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
					 "polkit does not run here, so %s is for root alone; "
					 "install and start polkit to change that.",
					 id);
	case POLKIT_FAILED:
		return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
					 "polkit did not decide whether uid %u may use %s: %s; see "
					 "'journalctl -u polkit'.",
					 (unsigned)answer->uid, id, answer->text);
	case POLKIT_NO:
		break;
	}
	return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
				 "polkit does not let uid %u use %s; its rules decide.",
				 (unsigned)answer->uid, id);
}

static int ask(sd_bus_message *message, uid_t uid, const char *id, sd_bus_error *error)
{
	int r = pending_add(message, uid, id);

	if (r == -EUSERS)
		return sd_bus_error_setf(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					 "Too many requests of uid %u wait for an authorisation; "
					 "answer or end those first.",
					 (unsigned)uid);
	if (r == -E2BIG)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"The request is larger than any that makes sense.");
	return r;
}

int access_check(sd_bus_message *message, enum access_action action, sd_bus_error *error)
{
	struct pending_answer answer;
	uid_t uid;
	int r;

	if (pending_take(message, &answer) >= 0)
		return decide(message, &answer, action_ids[action], error);
	r = get_uid(message, &uid);
	if (r < 0)
		return r;
	if (uid == 0 || uid == geteuid())
		return 1;
	return ask(message, uid, action_ids[action], error);
}

void access_done(void)
{
	pending_done();
}
