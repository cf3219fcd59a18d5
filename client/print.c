/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/exit-status.h"
#include "client/text.h"

struct table {
	struct libscols_table *scols;
	struct libscols_line *line;
	size_t cell; /* the next one of the line */
	bool is_broken;
};

static int complain_memory(void)
{
	complain("out of memory. Close something and try again");
	return STATUS_FAILED;
}

struct table *table_new(const struct options *options)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->scols = scols_new_table();
	table->is_broken = !table->scols;
	if (table->scols)
		scols_table_enable_noheadings(table->scols, options->no_legend);
	return table;
}

void table_add_column(struct table *table, const struct column *column)
{
	if (!table || table->is_broken)
		return;
	if (!scols_table_new_column(table->scols, column->name, 0,
				    column->is_number ? SCOLS_FL_RIGHT : 0))
		table->is_broken = true;
}

void table_add_columns(struct table *table, const struct column *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		table_add_column(table, &columns[i]);
}

void table_add_row(struct table *table)
{
	if (!table || table->is_broken)
		return;
	table->cell = 0;
	table->line = scols_table_new_line(table->scols, NULL);
	table->is_broken = !table->line;
}

void table_add_text(struct table *table, const char *text)
{
	if (!table || table->is_broken)
		return;
	if (scols_line_set_data(table->line, table->cell++, safe(text)))
		table->is_broken = true;
}

void table_add_number(struct table *table, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	table_add_text(table, text);
}

int table_print(struct table *table)
{
	bool is_good = table && !table->is_broken && !scols_print_table(table->scols);

	if (table)
		scols_unref_table(table->scols);
	free(table);
	return is_good ? STATUS_OK : complain_memory();
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, text ? json_object_new_string(text) : NULL);
}

void json_add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

void json_add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

int json_print(const struct options *options, struct json_object *object)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text;

	if (options->json == JSON_PRETTY)
		flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	text = json_object_to_json_string_ext(object, flags);
	if (text)
		puts(text);
	json_object_put(object);
	fflush(stdout); /* a reader of --watch wants each object when it is there */
	return text ? STATUS_OK : complain_memory();
}
