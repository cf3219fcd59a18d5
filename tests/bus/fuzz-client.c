/* SPDX-License-Identifier: GPL-2.0-only */

/*
 * One user who calls a service with random arguments, many calls at a time:
 *
 *   fuzz-client ADDRESS UID SEED NR_CALLS
 *
 * Standard input has what is called, one in a line, "method PATH INTERFACE NAME SIGNATURE GUARDED"
 * or "property ..." with "-" for no signature and 1 for what this user may not do, and words that
 * strings are made of: "word WORD". At the end it says how many calls were made, answered and
 * refused. What was guarded and yet succeeded is named, as are calls without an answer.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/cleanup.h"
#include "tests/bus/fuzz-values.h"

#define SERVICE "org.donor.Scheduler1"

enum {
	MAX_MEMBERS = 512,
	WINDOW = 48, /* the bus lets nobody wait for many more */
	ANSWER_TIMEOUT_US = 30 * 1000 * 1000,
	MAX_FAULTS = 10,
};

struct member {
	char kind[16], path[256], interface[128], name[128], signature[128];
	int is_guarded;
};

static struct member members[MAX_MEMBERS];
static unsigned nr_members;
static unsigned nr_waiting, nr_made, nr_answered, nr_refused, nr_silent, nr_faults;

static void read_members(void)
{
	char line[1024], word[256];

	while (fgets(line, sizeof(line), stdin)) {
		struct member *member = &members[nr_members];

		if (sscanf(line, "word %255s", word) == 1)
			fuzz_add_word(word);
		else if (nr_members < MAX_MEMBERS &&
			 sscanf(line, "%15s %255s %127s %127s %127s %d", member->kind, member->path,
				member->interface, member->name, member->signature,
				&member->is_guarded) == 6)
			nr_members++;
	}
	for (unsigned i = 0; i < nr_members; i++)
		if (strcmp(members[i].signature, "-") == 0)
			members[i].signature[0] = '\0';
}

static int on_reply(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error)
{
	const struct member *member = userdata;
	const sd_bus_error *error = sd_bus_message_get_error(reply);

	nr_waiting--;
	nr_answered++;
	nr_refused += error != NULL;
	if (member && member->is_guarded && !error) {
		printf("succeeded: %s %s\n", member->kind, member->name);
		nr_faults++;
	}
	if (error && (sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY) ||
		      sd_bus_error_has_name(error, SD_BUS_ERROR_TIMEOUT) ||
		      sd_bus_error_has_name(error, SD_BUS_ERROR_SERVICE_UNKNOWN))) {
		printf("no answer: %s %s\n", member ? member->name : "unknown", error->name);
		nr_faults++;
	}
	return 0;
}

static int append_property_access(sd_bus_message *message, const struct member *member, bool is_set)
{
	int r;

	r = sd_bus_message_append(message, "ss", member->interface,
				  fuzz_below(10) ? member->name : fuzz_string());
	if (r < 0 || !is_set)
		return r;
	r = sd_bus_message_open_container(message, 'v', member->signature);
	if (r < 0)
		return r;
	r = fuzz_append(message, member->signature);
	return r < 0 ? r : sd_bus_message_close_container(message);
}

static int new_property_access(sd_bus *bus, struct member **member, sd_bus_message **ret)
{
	bool is_set = fuzz_below(3) > 0;
	int r;

	r = sd_bus_message_new_method_call(bus, ret, SERVICE, (*member)->path,
					   "org.freedesktop.DBus.Properties",
					   is_set ? "Set" : "Get");
	if (r < 0)
		return r;
	r = append_property_access(*ret, *member, is_set);
	if (!is_set)
		*member = NULL; /* whatever comes of it is right */
	return r;
}

static int new_unknown(sd_bus *bus, sd_bus_message **ret)
{
	static const char *const paths[] = { "/", "/org/donor", "/org/donor/Scheduler1",
					     "/org/donor/Scheduler1/a" };
	static const char *const interfaces[] = { "a.b", SERVICE, SERVICE ".Statistics",
						  SERVICE ".x", "org.freedesktop.DBus.Properties" };
	int r;

	r = sd_bus_message_new_method_call(bus, ret, SERVICE, paths[fuzz_below(4)],
					   interfaces[fuzz_below(5)],
					   fuzz_below(2) ? "Nothing" : "GetAll");
	return r < 0 ? r : fuzz_append_anything(*ret);
}

static int new_method(sd_bus *bus, const struct member *member, sd_bus_message **ret)
{
	int r;

	r = sd_bus_message_new_method_call(bus, ret, SERVICE, member->path,
					   fuzz_below(20) ? member->interface : NULL, member->name);
	if (r < 0)
		return r;
	if (fuzz_below(5) == 0)
		return fuzz_append_anything(*ret);
	return fuzz_append(*ret, member->signature);
}

static int new_call(sd_bus *bus, struct member **member, sd_bus_message **ret)
{
	*member = &members[fuzz_below(nr_members)];
	if (fuzz_below(20) == 0) {
		*member = NULL;
		return new_unknown(bus, ret);
	}
	if (strcmp((*member)->kind, "property") == 0)
		return new_property_access(bus, member, ret);
	return new_method(bus, *member, ret);
}

static int make_call(sd_bus *bus)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL;
	struct member *member;
	int r;

	fuzz_new_message();
	r = new_call(bus, &member, &call);
	if (r < 0)
		return r;
	r = sd_bus_message_set_allow_interactive_authorization(call, fuzz_below(2));
	if (r < 0)
		return r;
	nr_made++;
	if (fuzz_below(50) == 0) {
		r = sd_bus_message_set_expect_reply(call, false);
		nr_silent++;
		return r < 0 ? r : sd_bus_send(bus, call, NULL);
	}
	nr_waiting++;
	return sd_bus_call_async(bus, NULL, call, on_reply, member, ANSWER_TIMEOUT_US);
}

static int run(sd_bus *bus, unsigned nr_calls)
{
	int r;

	while (nr_faults < MAX_FAULTS && (nr_made < nr_calls || nr_waiting > 0)) {
		while (nr_made < nr_calls && nr_waiting < WINDOW) {
			r = make_call(bus);
			if (r < 0)
				return r;
		}
		r = sd_bus_process(bus, NULL);
		if (r == 0)
			r = sd_bus_wait(bus, UINT64_MAX); /* each call has its time-out */
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_as(const char *address, uid_t uid, sd_bus **ret)
{
	_cleanup_(sd_bus_unrefp) sd_bus *bus = NULL;
	int r;

	if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(bus, true);
	if (r >= 0)
		r = sd_bus_negotiate_fds(bus, true);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r >= 0)
		*ret = steal_pointer(bus);
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
	int r;

	if (argc != 5) {
		fprintf(stderr, "fuzz-client ADDRESS UID SEED NR_CALLS\n");
		return 2;
	}
	fuzz_seed(strtoull(argv[3], NULL, 10));
	read_members();
	r = open_as(argv[1], atoi(argv[2]), &bus);
	if (r >= 0)
		r = run(bus, strtoul(argv[4], NULL, 10));
	if (r < 0)
		printf("failed: %s\n", strerror(-r));
	printf("made %u silent %u answered %u refused %u\n", nr_made, nr_silent, nr_answered,
	       nr_refused);
	return r < 0 || nr_faults ? 1 : 0;
}
