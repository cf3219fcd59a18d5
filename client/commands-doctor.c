/* SPDX-License-Identifier: GPL-2.0-only */
/* doctor: runs the checks in the order in which they depend on each other, and prints them. */
#include <stdarg.h>
#include <stdio.h>

#include "client/commands.h"
#include "client/doctor.h"
#include "client/print.h"
#include "client/text.h"

static const struct {
	const char *name;
	const char *word;
	enum colour colour;
} verdicts[_VERDICT_MAX] = {
	[VERDICT_OK] = { "ok", "  ok", COLOUR_GREEN },
	[VERDICT_WARNING] = { "warning", "warn", COLOUR_YELLOW },
	[VERDICT_FAILED] = { "failed", "FAIL", COLOUR_RED },
	[VERDICT_UNKNOWN] = { "unknown", "   ?", COLOUR_NONE },
};

void doctor_note(struct doctor *doctor, const char *check, enum verdict verdict,
		 enum exit_status status, const char *next_step, const char *format, ...)
{
	struct finding *finding = &doctor->findings[doctor->nr];
	va_list arguments;

	if (doctor->nr == sizeof(doctor->findings) / sizeof(doctor->findings[0]))
		return;
	doctor->nr++;
	finding->check = check;
	finding->verdict = verdict;
	finding->status = verdict == VERDICT_FAILED ? status : STATUS_OK;
	finding->next_step = next_step;
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
}

/* The first failure is the one to mend first. */
static enum exit_status exit_status(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr; i++)
		if (doctor->findings[i].status != STATUS_OK)
			return doctor->findings[i].status;
	return STATUS_OK;
}

static int print_json(const struct options *options, const struct doctor *doctor)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array(),
			   *item;

	for (size_t i = 0; i < doctor->nr; i++) {
		item = json_object_new_object();
		json_add_text(item, "check", doctor->findings[i].check);
		json_add_text(item, "verdict", verdicts[doctor->findings[i].verdict].name);
		json_add_text(item, "text", doctor->findings[i].text);
		json_add_text(item, "next_step", doctor->findings[i].next_step);
		json_object_array_add(list, item);
	}
	json_add_bool(object, "usable", exit_status(doctor) == STATUS_OK);
	json_add_number(object, "exit_status", exit_status(doctor));
	json_object_object_add(object, "checks", list);
	return json_print(options, object);
}

static void print_text(const struct doctor *doctor)
{
	const struct finding *finding;

	for (size_t i = 0; i < doctor->nr; i++) {
		finding = &doctor->findings[i];
		printf("%s%s%s  %s\n", colour_on(verdicts[finding->verdict].colour),
		       verdicts[finding->verdict].word, colour_off(), safe(finding->text));
		if (finding->next_step)
			printf("      %s %s\n", glyph("→", "->"), finding->next_step);
	}
	puts(exit_status(doctor) == STATUS_OK ? "donor can be used here."
					      : "donor cannot be used here as things are.");
}

int command_doctor(struct bus_client *client, char **words)
{
	struct doctor doctor = { .client = client };
	int r;

	(void)words;
	if (bus_client_is_local(client))
		doctor_check_kernel(&doctor);
	doctor_check_service(&doctor);
	doctor_check_rivals(&doctor);
	if (client->options->json) {
		r = print_json(client->options, &doctor);
		return r ? r : (int)exit_status(&doctor);
	}
	print_text(&doctor);
	return (int)exit_status(&doctor);
}
