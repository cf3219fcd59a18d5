/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <json-c/json.h>
#include <libsmartcols/libsmartcols.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/options.h"

/* Tables and JSON, in the way that the options ask for. */

struct column {
	const char *name;
	bool is_number;
};

/*
 * Filling a table goes on after an allocation failed; table_print() then says so. It prints,
 * frees the table and returns an exit status.
 */
struct table;
struct table *table_new(const struct options *options);
void table_add_column(struct table *table, const struct column *column);
void table_add_columns(struct table *table, const struct column *columns, size_t nr);
void table_add_row(struct table *table);
void table_add_text(struct table *table, const char *text);
void table_add_number(struct table *table, uint64_t number);
int table_print(struct table *table);

static inline void json_object_putp(struct json_object **object)
{
	json_object_put(*object);
}

void json_add_text(struct json_object *object, const char *key, const char *text);
void json_add_number(struct json_object *object, const char *key, uint64_t number);
void json_add_bool(struct json_object *object, const char *key, bool value);

/* Prints the object, frees it and returns an exit status. */
int json_print(const struct options *options, struct json_object *object);
