/* SPDX-License-Identifier: GPL-2.0-only */
/* One picture of top: who chose the mode, each domain with its load, and what flows between them. */
#include "client/top-frame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "client/text.h"
#include "service/duration.h"

#define LOAD_ONE 1024
#define WIDEST_CPUS 24
#define FIGURES_WIDTH 53 /* of a row, without CPUs and bar */
#define WIDEST_BAR 40
#define NARROWEST_BAR 4

struct frame {
	FILE *f;
	const struct top_size *size;
	unsigned int used; /* lines */
};

/* Writes one character, and returns its columns; an escape sequence has none. */
static size_t put_character(FILE *f, const char *text, unsigned int *ret_columns)
{
	mbstate_t state = { 0 };
	size_t bytes = 1;
	wchar_t wide;
	int width = 1;

	if (*text == '\033') {
		bytes = strcspn(text, "m") + 1;
		width = 0;
	} else if (*text & 0x80) {
		bytes = mbrtowc(&wide, text, strlen(text), &state);
		if (bytes == (size_t)-1 || bytes == (size_t)-2) {
			fputc('?', f);
			*ret_columns = 1;
			return 1;
		}
		width = wcwidth(wide);
	}
	fwrite(text, bytes, 1, f);
	*ret_columns = width > 0 ? (unsigned int)width : 0;
	return bytes;
}

/* Colours go on behind the cut, so that they end. */
static void put_cut(FILE *f, const char *text, unsigned int columns)
{
	unsigned int used = 0, width;

	while (*text) {
		if (used >= columns && *text != '\033') {
			text++;
			continue;
		}
		text += put_character(f, text, &width);
		used += width;
	}
}

static bool is_full(const struct frame *frame)
{
	return frame->size->rows && frame->used >= frame->size->rows;
}

static void __attribute__((format(printf, 2, 3))) line(struct frame *frame, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (is_full(frame))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* a line feed behind the last row would move the picture up */
	if (frame->used++)
		fputc('\n', frame->f);
	put_cut(frame->f, text, frame->size->columns);
	if (frame->size->is_live)
		fputs("\033[K", frame->f);
}

static double per_second(const struct top_view *view, uint64_t now, uint64_t before)
{
	uint64_t usec = view->now.monotonic_usec - view->before.monotonic_usec;

	if (view->before.nr != view->now.nr ||
	    view->now.monotonic_usec <= view->before.monotonic_usec)
		return 0;
	return now < before ? 0 : (double)(now - before) * USEC_PER_SEC / (double)usec;
}

#define RATE(view, i, member)                                                                      \
	((view)->before.nr == (view)->now.nr                                                       \
		 ? per_second(view, (view)->now.list[i].member, (view)->before.list[i].member)     \
		 : 0)

static void print_head(struct frame *frame, const struct top_view *view)
{
	const struct service_state *state = &view->state;
	uint64_t since = state->attached_since_usec;
	char duration[64] = "";

	if (view->has_domains && since && since < view->now.monotonic_usec)
		duration_format(view->now.monotonic_usec - since, duration, sizeof(duration));
	line(frame, "%sdonor%s %s%s%s  mode %s%s%s%s%s", colour_on(COLOUR_BOLD), colour_off(),
	     safe(state->state), *duration ? " " : "", duration, colour_on(COLOUR_BOLD),
	     safe(state->mode), colour_off(), *state->mode_source ? " by " : "",
	     safe(state->mode_source));
	if (*state->mode_reason)
		line(frame, "%s", safe(state->mode_reason));
	if (!service_state_is_attached(state))
		line(frame, "%s", safe(state->reason));
	line(frame, "donation: select-cpu %s, enqueue %s",
	     state->donation_effective[HOOK_SELECT_CPU] ? "on" : "off",
	     state->donation_effective[HOOK_ENQUEUE] ? "on" : "off");
}

static unsigned int cpus_width(const struct domains *domains)
{
	size_t widest = strlen("CPUS");

	for (size_t i = 0; i < domains->nr; i++)
		if (strlen(domains->list[i].cpus) > widest)
			widest = strlen(domains->list[i].cpus);
	return widest < WIDEST_CPUS ? (unsigned int)widest : WIDEST_CPUS;
}

static unsigned int bar_width(const struct frame *frame, unsigned int cpus)
{
	unsigned int columns = frame->size->columns, taken = FIGURES_WIDTH + cpus;

	if (columns < taken + NARROWEST_BAR)
		return NARROWEST_BAR;
	return columns - taken < WIDEST_BAR ? columns - taken : WIDEST_BAR;
}

static enum colour load_colour(unsigned int percent)
{
	if (percent >= 95)
		return COLOUR_RED;
	return percent >= 70 ? COLOUR_YELLOW : COLOUR_GREEN;
}

/* Full for 100 %, and no fuller where tasks wait. */
static void format_bar(char *text, size_t size, unsigned int percent, unsigned int width)
{
	unsigned int filled = (percent * width + 50) / 100;
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < width && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s",
					 i < filled ? glyph("█", "#") : glyph("░", "."));
}

static void print_domain(struct frame *frame, const struct top_view *view, size_t i,
			 unsigned int cpus)
{
	const struct domain *d = &view->now.list[i];
	unsigned int percent = (unsigned int)(d->pressure * 100 / LOAD_ONE);
	unsigned int width = bar_width(frame, cpus);
	char bar[4 * WIDEST_BAR], idle[16];

	format_bar(bar, sizeof(bar), percent, width);
	snprintf(idle, sizeof(idle), "%u/%u", d->idle_cores, d->cores);
	line(frame, "%-6zu %-*.*s %5s %s%s%s %3u%% %6" PRIu64 " %8.1f %8.1f %8.1f", i, (int)cpus,
	     (int)cpus, safe(d->cpus), idle, colour_on(load_colour(percent)), bar, colour_off(),
	     percent, d->queued, RATE(view, i, given), RATE(view, i, taken), RATE(view, i, stolen));
}

/* Room is kept for the flows of two domains, and for what is said about the rest. */
static void print_domains(struct frame *frame, const struct top_view *view)
{
	unsigned int cpus = cpus_width(&view->now);

	line(frame, " ");
	line(frame, "%s%-6s %-*s %5s %-*s  %3s %6s %8s %8s %8s%s", colour_on(COLOUR_BOLD), "DOMAIN",
	     (int)cpus, "CPUS", "IDLE", (int)bar_width(frame, cpus), "LOAD", "", "QUEUED",
	     "GIVES/s", "TAKES/s", "STOLEN/s", colour_off());
	for (size_t i = 0; i < view->now.nr; i++) {
		if (frame->size->rows && frame->used + 1 >= frame->size->rows &&
		    i + 1 < view->now.nr) {
			line(frame, "... and %zu more domains", view->now.nr - i);
			return;
		}
		print_domain(frame, view, i, cpus);
	}
}

/* As long as the share of the whole flow. */
static void print_flow(struct frame *frame, const char *from, const char *to, double rate,
		       double most)
{
	char arrow[4 * WIDEST_BAR + 8] = "";
	size_t used = 0;

	for (double i = 0; i < rate / most * (WIDEST_BAR / 2); i++)
		used += (size_t)snprintf(arrow + used, sizeof(arrow) - used, "%s", glyph("━", "-"));
	snprintf(arrow + used, sizeof(arrow) - used, "%s", glyph("▶", ">"));
	line(frame, "%8s %s %-8s %.1f/s", from, arrow, to, rate);
}

/*
 * The kernel counts what each domain gave and took, not from whom to whom. Of two domains that is
 * the same.
 */
static void print_flows(struct frame *frame, const struct top_view *view)
{
	char from[24], to[24];
	double most = 0;

	for (size_t i = 0; i < view->now.nr; i++)
		if (RATE(view, i, given) > most)
			most = RATE(view, i, given);
	line(frame, " ");
	line(frame, "%s", most > 0 ? "Tasks given to other domains:" : "No tasks are given away.");
	for (size_t i = 0; i < view->now.nr; i++) {
		if (RATE(view, i, given) <= 0)
			continue;
		snprintf(from, sizeof(from), "%zu", i);
		snprintf(to, sizeof(to), "%zu", 1 - i);
		print_flow(frame, from, view->now.nr == 2 ? to : "others", RATE(view, i, given),
			   most);
	}
}

void top_frame_print(FILE *f, const struct top_view *view, const struct top_size *size)
{
	struct frame frame = { .f = f, .size = size };

	if (size->is_live)
		fputs("\033[H", f);
	if (view->absent)
		line(&frame, "%sdonor%s: %s", colour_on(COLOUR_BOLD), colour_off(), view->absent);
	else
		print_head(&frame, view);
	if (!view->absent && view->has_domains) {
		print_domains(&frame, view);
		print_flows(&frame, view);
	}
	if (size->is_live)
		fputs("\033[J", f);
	else
		fputc('\n', f);
}
