/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "dbus/names.h"
#include "service/bus-access.h"
#include "service/bus-caller.h"
#include "service/bus-config.h"
#include "service/bus-error.h"
#include "service/config-key.h"

static int property_config_files(sd_bus *bus, const char *path, const char *interface,
				 const char *property, sd_bus_message *reply, void *userdata,
				 sd_bus_error *error)
{
	const struct config_sources *sources = &manager_config(userdata)->sources;
	int r;

	r = sd_bus_message_open_container(reply, 'a', "s");
	for (unsigned i = 0; r >= 0 && i < sources->nr_files; i++)
		r = sd_bus_message_append(reply, "s", sources->files[i]);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_row(sd_bus_message *reply, const struct config *config, const char *group,
		      const char *name, const char *value, const struct config_origin *origin)
{
	char where[CONFIG_ORIGIN_BYTES];

	return sd_bus_message_append(reply, "(ssss)", group, name, value,
				     config_origin_format(config, origin, where, sizeof(where)));
}

static int append_keys(sd_bus_message *reply, const struct config *config)
{
	int r;

	for (unsigned i = 0; i < NR_CONFIG_KEYS; i++) {
		const struct config_key *key = &config_keys[i];
		char value[CONFIG_TEXT_BYTES];

		r = append_row(reply, config, key->group, key->name,
			       config_key_format(key, config, value, sizeof(value)),
			       &config->sources.keys[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* [Mode.NAME]: those that a file gives; GetParameters has all. */
static int append_mode(sd_bus_message *reply, const struct config *config, enum donor_mode mode)
{
	const struct tuning *tuning = &config->wish.configured[mode];
	char group[32], value[24];
	int r;

	(void)snprintf(group, sizeof(group), "Mode.%s", mode_to_string(mode));
	for (unsigned i = 0; i < nr_knobs; i++) {
		if (config->sources.knobs[mode][i].file == 0)
			continue;
		(void)snprintf(value, sizeof(value), "%" PRIu64, (uint64_t)tuning->values[i]);
		r = append_row(reply, config, group, knobs[i].name, value,
			       &config->sources.knobs[mode][i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static int append_configuration(sd_bus_message *reply, const struct config *config)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "(ssss)");
	if (r >= 0)
		r = append_keys(reply, config);
	for (enum donor_mode mode = 0; r >= 0 && mode < _DONOR_MODE_MAX; mode++)
		r = append_mode(reply, config, mode);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int method_get_configuration(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	r = sd_bus_message_new_method_return(message, &reply);
	if (r < 0)
		return r;
	r = append_configuration(reply, manager_config(userdata));
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}

static void append_warning(void *userdata, const char *text)
{
	(void)sd_bus_message_append(userdata, "s", text);
}

static int method_reload(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	int r;

	r = access_check(message, ACCESS_ADMINISTER, error);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = sd_bus_message_new_method_return(message, &reply);
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(reply, 'a', "s");
	if (r < 0)
		return r;
	r = manager_reload(userdata, append_warning, reply, bus_caller(message).who);
	if (r < 0)
		return bus_error_set(error, r, manager_reason(userdata));
	r = sd_bus_message_close_container(reply);
	if (r < 0)
		return r;
	return sd_bus_message_send(reply);
}

/* One property or method per line reads as a table. */
/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("ConfigFiles", "as", property_config_files, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_METHOD_WITH_ARGS("GetConfiguration",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("a(ssss)", configuration),
				method_get_configuration, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Reload",
				SD_BUS_NO_ARGS,
				SD_BUS_RESULT("as", warnings),
				method_reload, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_config_add(sd_bus *bus, struct manager *manager)
{
	return sd_bus_add_object_vtable(bus, NULL, DONOR_OBJECT_PATH, DONOR_INTERFACE, vtable,
					manager);
}

int bus_config_emit_files_changed(sd_bus *bus)
{
	return sd_bus_emit_properties_changed(bus, DONOR_OBJECT_PATH, DONOR_INTERFACE,
					      "ConfigFiles", NULL);
}
