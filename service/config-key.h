/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/config.h"

/* What the keys of donor.conf mean: one row per line of config-keys.def. Pure. */

enum config_type {
	CONFIG_MODE,
	CONFIG_MODE_OR_NONE,
	CONFIG_WORD,
	CONFIG_NUMBER,
	CONFIG_TIME,
	CONFIG_PATH,
};

struct config_key {
	const char *group;
	const char *name;
	enum config_type type;
	size_t offset; /* of the member in struct config */
	size_t size;
	const char *initial;
	const char *words; /* CONFIG_WORD: with blanks between; the first one is `minimum` */
	uint64_t minimum, maximum; /* CONFIG_NUMBER, and CONFIG_TIME in us */
	uint64_t bare_us; /* CONFIG_TIME: what a number without a unit counts */
};

enum { CONFIG_TEXT_BYTES = CONFIG_PATH_BYTES };

extern const struct config_key config_keys[NR_CONFIG_KEYS];

/* NULL: there is no such key. */
const struct config_key *config_key_find(const char *group, const char *name);

/* Set the key's member. -EINVAL, -ERANGE: not one of the values. */
int config_key_parse(const struct config_key *key, const char *text, struct config *config);

/* The member as config_key_parse() reads it. Both return buf. */
const char *config_key_format(const struct config_key *key, const struct config *config, char *buf,
			      size_t size);

/* For complaints: "power, balanced or performance", "a number from 1 to 100". */
const char *config_key_values(const struct config_key *key, char *buf, size_t size);
