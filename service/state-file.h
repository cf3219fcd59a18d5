/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "service/cleanup.h"

/*
 * What is to outlive the service: a few texts and numbers by key, in one JSON file. A topic's keys
 * begin with its name and a dot, "override.mode"; those of others, also of newer versions, are left
 * alone. It is read once, when opened, and written by state_save() as a whole.
 */
struct state_file;

/*
 * Reads the file `state` of the directory; NULL: there is none, and nothing is kept. -ENOMEM is the
 * only error: a file that cannot be used counts as empty, and state_error() says why.
 */
int state_open(struct state_file **ret, const char *directory);
struct state_file *state_free(struct state_file *state);
DEFINE_CLEANUP(struct state_file *, state_free);

/* 0, or why the file could not be used: -EBADMSG if it is damaged. */
int state_error(const struct state_file *state);

/* False if there is no such key, or its value is of another type or too long. */
bool state_get_text(const struct state_file *state, const char *key, char *ret, size_t size);
bool state_get_number(const struct state_file *state, const char *key, uint64_t *ret);

/* In memory alone. -ENOMEM */
int state_set_text(struct state_file *state, const char *key, const char *text);
int state_set_number(struct state_file *state, const char *key, uint64_t number);

/* All keys that begin so. */
void state_remove(struct state_file *state, const char *prefix);

/*
 * Writes what has changed, so that a crash or loss of power leaves the old file or the new one.
 * -ENXIO: there is no directory; else what the file system says. The memory is kept either way.
 */
int state_save(struct state_file *state);
