/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <json-c/json.h>
#include <systemd/sd-bus.h>

/*
 * Reads the next value of a message, whatever its type, as JSON: arrays and structures become
 * arrays, dictionaries objects, variants what is in them, file descriptors null. Returns a positive
 * number, 0 at the end of the container, or a negative errno.
 */
int message_read_json(sd_bus_message *m, struct json_object **ret);
