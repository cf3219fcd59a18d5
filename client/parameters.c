/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/exit-status.h"
#include "client/text.h"
#include "dbus/names.h"
#include "service/cleanup.h"
#include "service/duration.h"

static int read_row(sd_bus_message *m, struct parameter *row)
{
	return sd_bus_message_read(m, "(sttttsss)", &row->name, &row->value, &row->minimum,
				   &row->maximum, &row->initial, &row->unit, &row->origin,
				   &row->help);
}

static int read_list(sd_bus_message *m, struct parameters *parameters)
{
	struct parameter *bigger;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "(sttttsss)");
	if (r < 0)
		return r;
	while (!(r = sd_bus_message_at_end(m, false))) {
		bigger = reallocarray(parameters->list, parameters->nr + 1, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		parameters->list = bigger;
		r = read_row(m, &bigger[parameters->nr]);
		if (r < 0)
			return r;
		parameters->nr++;
	}
	return r < 0 ? r : 0;
}

int parameters_read(struct bus_client *client, sd_bus_error *ret_error, struct parameters *ret)
{
	static const struct bus_method method = { DONOR_INTERFACE, "GetParameters", false, false };
	struct parameters parameters = { 0 };
	int r;

	r = bus_client_call(client, &method, ret_error, &parameters.reply, "");
	if (r >= 0)
		r = read_list(parameters.reply, &parameters);
	if (r < 0) {
		parameters_done(&parameters);
		return r;
	}
	*ret = parameters;
	return 0;
}

void parameters_done(struct parameters *parameters)
{
	free(parameters->list);
	parameters->list = NULL;
	parameters->nr = 0;
	parameters->reply = sd_bus_message_unref(parameters->reply);
}

const struct parameter *parameters_find(const struct parameters *parameters, const char *name)
{
	for (size_t i = 0; i < parameters->nr; i++)
		if (!strcmp(parameters->list[i].name, name))
			return &parameters->list[i];
	return NULL;
}

/* Not all of them: they do not fit one line. */
int parameters_complain(const struct parameters *parameters, const char *name)
{
	_cleanup_(freep) const char **names =
		calloc(parameters->nr + 1, sizeof(*names));
	const char *nearest;

	for (size_t i = 0; names && i < parameters->nr; i++)
		names[i] = parameters->list[i].name;
	nearest = names ? nearest_choice(name, names) : NULL;
	if (nearest)
		complain("there is no parameter '%s', did you mean '%s'? See: donorctl tune",
			 safe(name), safe(nearest));
	else
		complain("there is no parameter '%s'. See: donorctl tune", safe(name));
	return STATUS_USAGE;
}

static int parse_switch(const char *text, uint64_t *ret)
{
	static const char *const on[] = { "on", "yes", "1", NULL };
	static const char *const off[] = { "off", "no", "0", NULL };

	if (!is_choice(text, on) && !is_choice(text, off))
		return -EINVAL;
	*ret = is_choice(text, on);
	return 0;
}

static int parse_number(const struct parameter *parameter, const char *text, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");

	if (!strcmp(parameter->unit, "bool"))
		return parse_switch(text, ret);
	if (digits > 0 && !text[digits]) {
		errno = 0;
		*ret = strtoull(text, NULL, 10);
		return -errno;
	}
	return strcmp(parameter->unit, "ns") ? -EINVAL : duration_parse_ns(text, 1, ret);
}

int parameter_parse(const struct parameter *parameter, const char *text, uint64_t *ret)
{
	bool is_time = !strcmp(parameter->unit, "ns");
	uint64_t value;

	if (parse_number(parameter, text, &value) >= 0 && value >= parameter->minimum &&
	    value <= parameter->maximum) {
		*ret = value;
		return 0;
	}
	if (!strcmp(parameter->unit, "bool"))
		complain("%s cannot be '%s'; it is on, off or auto", safe(parameter->name),
			 safe(text));
	else
		complain("%s cannot be '%s'; it is auto or a number from %" PRIu64 " to %" PRIu64
			 " (%s)%s",
			 safe(parameter->name), safe(text), parameter->minimum, parameter->maximum,
			 safe(parameter->unit), is_time ? ", or a time such as 500us" : "");
	return STATUS_USAGE;
}
