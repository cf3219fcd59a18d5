/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/config-key.h"
#include "service/duration.h"
#include "service/log.h"

#define WORDS(text) .words = (text)
#define LEVELS(text) .words = (text), .minimum = LOG_LEVEL_ERROR
#define RANGE(least, most) .minimum = (least), .maximum = (most)
#define SPAN(unit_us, least, most)                                                                 \
	.minimum = (least) * (unit_us), .maximum = (most) * (unit_us), .bare_us = (unit_us)
#define SECONDS(least, most) SPAN(USEC_PER_SEC, least, most)
#define MILLISECONDS(least, most) SPAN(USEC_PER_MSEC, least, most)

#define MEMBER(member) (((struct config *)NULL)->member)

const struct config_key config_keys[NR_CONFIG_KEYS] = {
#define GROUP(...)
#define KEY(group_, name_, type_, member_, values_, initial_, help_)                               \
	{ .group = #group_,                                                                        \
	  .name = #name_,                                                                          \
	  .type = CONFIG_##type_,                                                                  \
	  .offset = offsetof(struct config, member_),                                              \
	  .size = sizeof(MEMBER(member_)),                                                         \
	  .initial = initial_,                                                                     \
	  values_ },
#include "service/config-keys.def"
#undef KEY
};

/* The C type that each type of key writes; a WORD may be a bool or as wide as an enum. */
#define IS(member, type) __builtin_types_compatible_p(__typeof__(MEMBER(member)), type)
#define FITS_MODE(member) IS(member, enum donor_mode)
#define FITS_MODE_OR_NONE(member) IS(member, struct mode_choice)
#define FITS_WORD(member) (IS(member, bool) || sizeof(MEMBER(member)) == sizeof(unsigned))
#define FITS_NUMBER(member) IS(member, unsigned)
#define FITS_TIME(member) IS(member, uint64_t)
#define FITS_PATH(member) (sizeof(MEMBER(member)) == CONFIG_PATH_BYTES)
#define KEY(group, name, type, member, ...)                                                        \
	_Static_assert(FITS_##type(member), #group "." #name ": the member has another type");
#include "service/config-keys.def"
#undef KEY

const struct config_key *config_key_find(const char *group, const char *name)
{
	for (unsigned i = 0; i < NR_CONFIG_KEYS; i++)
		if (strcmp(config_keys[i].group, group) == 0 &&
		    strcmp(config_keys[i].name, name) == 0)
			return &config_keys[i];
	return NULL;
}

/* Copies the nr-th word. -ENOENT: there are fewer. */
static int word_at(const char *words, unsigned nr, char *buf, size_t size)
{
	for (; nr > 0 && words; nr--) {
		words = strchr(words, ' ');
		words = words ? words + 1 : NULL;
	}
	if (!words)
		return -ENOENT;
	(void)snprintf(buf, size, "%.*s", (int)strcspn(words, " "), words);
	return 0;
}

static int parse_word(const struct config_key *key, const char *text, void *member)
{
	char word[CONFIG_TEXT_BYTES];

	for (unsigned i = 0; word_at(key->words, i, word, sizeof(word)) >= 0; i++) {
		if (strcmp(word, text) != 0)
			continue;
		if (key->size == sizeof(bool))
			*(bool *)member = i;
		else
			*(unsigned *)member = i + key->minimum;
		return 0;
	}
	return -EINVAL;
}

static int parse_choice(const char *text, struct mode_choice *choice)
{
	struct mode_choice parsed = { .present = strcmp(text, "none") != 0 };

	if (parsed.present && mode_from_string(text, &parsed.mode) < 0)
		return -EINVAL;
	*choice = parsed;
	return 0;
}

static int parse_number(const struct config_key *key, const char *text, unsigned *ret)
{
	unsigned long long value;

	if (!text[0] || text[strspn(text, "0123456789")])
		return -EINVAL;
	errno = 0;
	value = strtoull(text, NULL, 10);
	if (errno != 0 || value < key->minimum || value > key->maximum)
		return -ERANGE;
	*ret = value;
	return 0;
}

static int parse_time(const struct config_key *key, const char *text, uint64_t *ret_us)
{
	uint64_t ns;
	int r;

	r = duration_parse_ns(text, key->bare_us * NSEC_PER_USEC, &ns);
	if (r < 0)
		return r;
	if (ns / NSEC_PER_USEC < key->minimum || ns / NSEC_PER_USEC > key->maximum)
		return -ERANGE;
	*ret_us = ns / NSEC_PER_USEC;
	return 0;
}

static int parse_path(const char *text, char *ret)
{
	if (text[0] && text[0] != '/')
		return -EINVAL;
	if (strlen(text) >= CONFIG_PATH_BYTES)
		return -ERANGE;
	strcpy(ret, text);
	return 0;
}

int config_key_parse(const struct config_key *key, const char *text, struct config *config)
{
	void *member = (char *)config + key->offset;

	switch (key->type) {
	case CONFIG_MODE:
		return mode_from_string(text, member) < 0 ? -EINVAL : 0;
	case CONFIG_MODE_OR_NONE:
		return parse_choice(text, member);
	case CONFIG_WORD:
		return parse_word(key, text, member);
	case CONFIG_NUMBER:
		return parse_number(key, text, member);
	case CONFIG_TIME:
		return parse_time(key, text, member);
	case CONFIG_PATH:
		return parse_path(text, member);
	}
	return -EINVAL;
}

static const char *format_word(const struct config_key *key, const void *member, char *buf,
			       size_t size)
{
	unsigned nr = key->size == sizeof(bool) ? *(const bool *)member
						: *(const unsigned *)member - key->minimum;

	if (word_at(key->words, nr, buf, size) < 0)
		(void)snprintf(buf, size, "unknown");
	return buf;
}

const char *config_key_format(const struct config_key *key, const struct config *config, char *buf,
			      size_t size)
{
	const void *member = (const char *)config + key->offset;
	const struct mode_choice *choice = member;

	switch (key->type) {
	case CONFIG_MODE:
		(void)snprintf(buf, size, "%s", mode_to_string(*(const enum donor_mode *)member));
		break;
	case CONFIG_MODE_OR_NONE:
		(void)snprintf(buf, size, "%s",
			       choice->present ? mode_to_string(choice->mode) : "none");
		break;
	case CONFIG_WORD:
		return format_word(key, member, buf, size);
	case CONFIG_NUMBER:
		(void)snprintf(buf, size, "%u", *(const unsigned *)member);
		break;
	case CONFIG_TIME:
		return duration_format_exact(*(const uint64_t *)member, buf, size);
	case CONFIG_PATH:
		(void)snprintf(buf, size, "%s", (const char *)member);
		break;
	}
	return buf;
}

/* "a, b or c" */
static const char *list_words(const char *words, char *buf, size_t size)
{
	char word[CONFIG_TEXT_BYTES], next[CONFIG_TEXT_BYTES];
	size_t length = 0;

	for (unsigned i = 0; word_at(words, i, word, sizeof(word)) >= 0; i++) {
		const char *before = i == 0 ? "" : ", ";

		if (i > 0 && word_at(words, i + 1, next, sizeof(next)) < 0)
			before = " or ";
		length += snprintf(buf + length, size - length, "%s%s", before, word);
		if (length >= size)
			break;
	}
	return buf;
}

const char *config_key_values(const struct config_key *key, char *buf, size_t size)
{
	char least[32], most[32];

	switch (key->type) {
	case CONFIG_MODE:
		return list_words("power balanced performance", buf, size);
	case CONFIG_MODE_OR_NONE:
		return list_words("power balanced performance none", buf, size);
	case CONFIG_WORD:
		return list_words(key->words, buf, size);
	case CONFIG_NUMBER:
		(void)snprintf(buf, size, "a number from %" PRIu64 " to %" PRIu64, key->minimum,
			       key->maximum);
		break;
	case CONFIG_TIME:
		(void)snprintf(buf, size, "a time from %s to %s",
			       duration_format_exact(key->minimum, least, sizeof(least)),
			       duration_format_exact(key->maximum, most, sizeof(most)));
		break;
	case CONFIG_PATH:
		(void)snprintf(buf, size, "an absolute path");
		break;
	}
	return buf;
}
