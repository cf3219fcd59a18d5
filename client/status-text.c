/* SPDX-License-Identifier: GPL-2.0-only */
/* The page that a person sees first. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "service/duration.h"
#include "client/status-view.h"
#include "client/text.h"

static const struct look {
	const char *state;
	enum colour colour;
	const char *bullet;
	const char *plain;
} looks[] = {
	{ "attached", COLOUR_GREEN, "●", "*" },
	{ "attaching", COLOUR_YELLOW, "●", "*" },
	{ "conflict", COLOUR_YELLOW, "●", "*" },
	{ "failed", COLOUR_RED, "×", "x" },
	{ "unsupported", COLOUR_RED, "×", "x" },
	{ "detached", COLOUR_NONE, "○", "o" }, /* the last also stands for words not known */
};

static const struct look *find_look(const char *state)
{
	size_t last = sizeof(looks) / sizeof(looks[0]) - 1, i = 0;

	while (i < last && strcmp(looks[i].state, state))
		i++;
	return &looks[i];
}

static void print_bullet(const char *state)
{
	const struct look *look = find_look(state);

	printf("%s%s%s %sdonor%s %s", colour_on(look->colour), glyph(look->bullet, look->plain),
	       colour_off(), colour_on(COLOUR_BOLD), colour_off(), safe(state));
}

static void print_wall_clock(uint64_t usec)
{
	time_t seconds = (time_t)(usec / USEC_PER_SEC);
	struct tm tm;
	char text[64];

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%a %Y-%m-%d %H:%M:%S", &tm))
		fputs(text, stdout);
}

/* The service's clock is monotonic, and maybe of another machine: ours gives the date. */
static void print_since(const struct status_view *view)
{
	uint64_t attached_usec = status_view_attached_usec(view);
	struct timespec now;
	char text[64];

	if (attached_usec && !clock_gettime(CLOCK_REALTIME, &now)) {
		fputs(" since ", stdout);
		print_wall_clock((uint64_t)now.tv_sec * USEC_PER_SEC - attached_usec);
		printf(", %s", duration_format(attached_usec, text, sizeof(text)));
	}
	putchar('\n');
}

static void print_label(const char *label)
{
	printf("%10s: ", label);
}

static void print_hook(const struct status_view *view, enum hook hook)
{
	const struct service_state *state = &view->state;
	bool on = state->donation_on[hook];

	printf("%s %s", hook_names[hook], on ? "on" : "off");
	if (!view->has_snapshot)
		return;
	/* the kernel has the last word; the two should never differ for long */
	if (on != state->donation_effective[hook])
		printf(" but %s in the kernel", on ? "off" : "on");
	printf(" (%" PRIu64 " given)", status_view_given(view, hook));
}

static void print_donation(const struct status_view *view)
{
	print_label("Donation");
	print_hook(view, HOOK_SELECT_CPU);
	fputs(", ", stdout);
	print_hook(view, HOOK_ENQUEUE);
	putchar('\n');
}

static void print_domains(const struct domains *domains)
{
	uint64_t cores = 0, idle = 0, queued = 0;

	for (size_t i = 0; i < domains->nr; i++) {
		cores += domains->list[i].cores;
		idle += domains->list[i].idle_cores;
		queued += domains->list[i].queued;
	}
	print_label("Domains");
	printf("%zu with %" PRIu64 " %s (%" PRIu64 " idle), %" PRIu64 " %s queued%s\n", domains->nr,
	       cores, cores == 1 ? "core" : "cores", idle, queued, queued == 1 ? "task" : "tasks",
	       domains->nr == 1 ? "; donation has nowhere to go" : "");
}

static void print_last_exit(const struct last_exit *last)
{
	char text[64];

	if (!*last->kind)
		return;
	print_label("Last exit");
	print_wall_clock(last->realtime_usec);
	printf(", %s", *last->reason ? safe(last->reason) : safe(last->kind));
	if (*last->message)
		printf(": %s", safe(last->message));
	printf(" (attached for %s)\n", duration_format(last->attached_usec, text, sizeof(text)));
}

static void print_line(const char *label, const char *text)
{
	if (!*text)
		return;
	print_label(label);
	puts(safe(text));
}

void status_print_text(const struct status_view *view)
{
	const struct service_state *state = &view->state;
	bool is_attached = service_state_is_attached(state);

	print_bullet(state->state);
	print_since(view);
	if (!is_attached)
		print_line("Reason", state->reason);
	print_line("Foreign", state->foreign);
	if (strcmp(state->kernel_support, "ok"))
		print_line("Kernel", state->kernel_support);
	print_line("Mode", state->mode);
	print_donation(view);
	if (view->has_domains)
		print_domains(&view->domains);
	print_last_exit(&state->last_exit);
}

void status_print_absent_text(const char *ops)
{
	print_bullet("unknown");
	fputs(", donord does not answer\n", stdout);
	if (ops)
		print_line("Kernel", *ops ? ops : "runs its own scheduler");
}
