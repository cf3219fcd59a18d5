/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that ask the service. Without it, the number of domains is guessed from the caches. */
#include <string.h>

#include "client/bus-error.h"
#include "client/doctor.h"
#include "client/service-state.h"
#include "client/statistics.h"
#include "client/system-files.h"
#include "service/cleanup.h"

struct word {
	const char *name;
	enum verdict verdict;
	enum exit_status status;
	const char *next_step;
	const char *text;
};

static const struct word supports[] = {
	{ "ok", VERDICT_OK, STATUS_OK, NULL, "The service can run the scheduler on this kernel" },
	{ "no-sched-ext", VERDICT_FAILED, STATUS_UNSUPPORTED,
	  "Boot a kernel of 6.12 or later with CONFIG_SCHED_CLASS_EXT=y",
	  "The service found no sched_ext in the kernel" },
	{ "no-btf", VERDICT_FAILED, STATUS_UNSUPPORTED, "Boot a kernel with CONFIG_DEBUG_INFO_BTF=y",
	  "The service found no description of the kernel's types (BTF)" },
	{ "malformed-btf", VERDICT_FAILED, STATUS_UNSUPPORTED,
	  "Boot another kernel: this one was built with a faulty description of its own types",
	  "The kernel's description of its types (BTF) is malformed" },
	{ "no-privilege", VERDICT_FAILED, STATUS_FAILED,
	  "Start it from its unit: systemctl restart donord",
	  "The service lacks the capabilities CAP_BPF and CAP_PERFMON" },
	{ NULL, VERDICT_WARNING, STATUS_OK, "See: journalctl -u donord",
	  "The service judges this kernel in a word that this donorctl does not know" },
};

static const struct word states[] = {
	{ "attached", VERDICT_OK, STATUS_OK, NULL, NULL },
	{ "attaching", VERDICT_WARNING, STATUS_OK, "See: donorctl wait attached", NULL },
	{ "detached", VERDICT_WARNING, STATUS_OK, "Attach it: donorctl attach", NULL },
	{ "conflict", VERDICT_FAILED, STATUS_CONFLICT,
	  "Stop the other scheduler, often: systemctl stop scx.service scx_loader.service", NULL },
	{ "backoff", VERDICT_WARNING, STATUS_OK,
	  "See: donorctl exits. Attach it now: donorctl attach", NULL },
	{ "failed", VERDICT_FAILED, STATUS_FAILED,
	  "See: journalctl -u donord. Try again: donorctl attach", NULL },
	{ "unsupported", VERDICT_FAILED, STATUS_UNSUPPORTED,
	  "Mend what is named above, then: systemctl restart donord", NULL },
	{ NULL, VERDICT_WARNING, STATUS_OK, "See: journalctl -u donord", NULL },
};

/* The last word, without a name, fits all. */
static const struct word *find_word(const struct word *words, const char *name)
{
	while (words->name && strcmp(words->name, name))
		words++;
	return words;
}

static void note_state(struct doctor *doctor, const struct service_state *state)
{
	const struct word *support = find_word(supports, state->kernel_support);
	const struct word *word = find_word(states, state->state);

	doctor_note(doctor, "service", VERDICT_OK, STATUS_OK, NULL, "donord %s answers",
		    state->version);
	doctor_note(doctor, "kernel_support", support->verdict, support->status, support->next_step,
		    "%s", support->text);
	doctor_note(doctor, "state", word->verdict, word->status, word->next_step,
		    "The state of the service is %s%s%s", state->state, *state->reason ? ": " : "",
		    state->reason);
}

static void note_unreachable(struct doctor *doctor, const sd_bus_error *error, int r)
{
	enum exit_status status = (enum exit_status)bus_exit_status(error, r);

	if (status == STATUS_UNREACHABLE)
		doctor_note(doctor, "service", VERDICT_FAILED, status,
			    "Start it: systemctl start donord",
			    "donord does not answer on the bus");
	else
		doctor_note(doctor, "service", VERDICT_FAILED, status, "See: journalctl -u donord",
			    "donord answers with an error: %s",
			    error->message ? error->message : strerror(-r));
}

static void note_domains(struct doctor *doctor, size_t nr)
{
	if (!nr)
		doctor_note(doctor, "domains", VERDICT_UNKNOWN, STATUS_OK, NULL,
			    "The number of domains is known once donor is attached");
	else if (nr == 1)
		doctor_note(doctor, "domains", VERDICT_WARNING, STATUS_OK, NULL,
			    "This machine is one domain: donation has nowhere to go");
	else
		doctor_note(doctor, "domains", VERDICT_OK, STATUS_OK, NULL,
			    "This machine has %zu domains between which tasks can be given", nr);
}

static size_t count_domains(struct doctor *doctor)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(domains_done) struct domains domains = { 0 };

	if (domains_read(doctor->client, &error, &domains) >= 0)
		return domains.nr;
	if (!bus_client_is_local(doctor->client))
		return 0;
	return system_count_lines("/sys/devices/system/cpu/cpu[0-9]*/cache/index3/shared_cpu_list");
}

void doctor_check_service(struct doctor *doctor)
{
	_cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
	_cleanup_(service_state_done) struct service_state state = { 0 };
	int r;

	r = service_state_read(doctor->client, &error, &state);
	if (r < 0)
		note_unreachable(doctor, &error, r);
	else
		note_state(doctor, &state);
	note_domains(doctor, count_domains(doctor));
}
