/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/message-json.h"

#include "client/print.h"
#include "service/cleanup.h"

static int read_basic(sd_bus_message *m, char type, struct json_object **ret)
{
	union {
		uint8_t y;
		int b;
		int16_t n;
		uint16_t q;
		int32_t i;
		uint32_t u;
		int64_t x;
		uint64_t t;
		double d;
		const char *s;
		int fd;
	} value;
	int r;

	r = sd_bus_message_read_basic(m, type, &value);
	if (r < 0)
		return r;
	switch (type) {
	case SD_BUS_TYPE_BYTE:
		*ret = json_object_new_int(value.y);
		break;
	case SD_BUS_TYPE_BOOLEAN:
		*ret = json_object_new_boolean(value.b);
		break;
	case SD_BUS_TYPE_INT16:
		*ret = json_object_new_int(value.n);
		break;
	case SD_BUS_TYPE_UINT16:
		*ret = json_object_new_int(value.q);
		break;
	case SD_BUS_TYPE_INT32:
		*ret = json_object_new_int(value.i);
		break;
	case SD_BUS_TYPE_UINT32:
		*ret = json_object_new_int64(value.u);
		break;
	case SD_BUS_TYPE_INT64:
		*ret = json_object_new_int64(value.x);
		break;
	case SD_BUS_TYPE_UINT64:
		*ret = json_object_new_uint64(value.t);
		break;
	case SD_BUS_TYPE_DOUBLE:
		*ret = json_object_new_double(value.d);
		break;
	case SD_BUS_TYPE_STRING:
	case SD_BUS_TYPE_OBJECT_PATH:
	case SD_BUS_TYPE_SIGNATURE:
		*ret = json_object_new_string(value.s);
		break;
	default:
		*ret = NULL;
	}
	return 1;
}

/* Whatever stands in the container that was entered. */
static int read_elements(sd_bus_message *m, struct json_object *array)
{
	struct json_object *element;
	int r;

	while (!(r = sd_bus_message_at_end(m, false))) {
		r = message_read_json(m, &element);
		if (r < 0)
			return r;
		json_object_array_add(array, element);
	}
	return r < 0 ? r : 0;
}

/* The key of an entry; numbers are keys in their decimal form. */
static int read_entry(sd_bus_message *m, struct json_object *object)
{
	_cleanup_(json_object_putp) struct json_object *key = NULL;
	struct json_object *value;
	int r;

	r = sd_bus_message_enter_container(m, SD_BUS_TYPE_DICT_ENTRY, NULL);
	if (r < 0)
		return r;
	r = message_read_json(m, &key);
	if (r >= 0)
		r = message_read_json(m, &value);
	if (r < 0)
		return r;
	json_object_object_add(object, json_object_get_string(key), value);
	return sd_bus_message_exit_container(m);
}

static int read_entries(sd_bus_message *m, struct json_object *object)
{
	int r;

	while (!(r = sd_bus_message_at_end(m, false))) {
		r = read_entry(m, object);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int read_container(sd_bus_message *m, char type, const char *contents,
			  struct json_object **ret)
{
	bool is_dictionary = type == SD_BUS_TYPE_ARRAY && contents[0] == '{';
	_cleanup_(json_object_putp) struct json_object *object =
		is_dictionary ? json_object_new_object() : json_object_new_array();
	int r;

	r = sd_bus_message_enter_container(m, type, contents);
	if (r < 0)
		return r;
	r = is_dictionary ? read_entries(m, object) : read_elements(m, object);
	if (r < 0)
		return r;
	*ret = steal_pointer(object);
	return sd_bus_message_exit_container(m);
}

static int read_variant(sd_bus_message *m, const char *contents, struct json_object **ret)
{
	int r;

	r = sd_bus_message_enter_container(m, SD_BUS_TYPE_VARIANT, contents);
	if (r >= 0)
		r = message_read_json(m, ret);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

int message_read_json(sd_bus_message *m, struct json_object **ret)
{
	const char *contents;
	char type;
	int r;

	*ret = NULL;
	r = sd_bus_message_peek_type(m, &type, &contents);
	if (r <= 0)
		return r;
	if (type == SD_BUS_TYPE_VARIANT)
		return read_variant(m, contents, ret);
	if (type == SD_BUS_TYPE_ARRAY || type == SD_BUS_TYPE_STRUCT)
		return read_container(m, type, contents, ret);
	return read_basic(m, type, ret);
}
