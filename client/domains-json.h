/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <json-c/json.h>

#include "client/statistics.h"

/* An array with one object for each domain; the caller owns it. */
struct json_object *domains_json(const struct domains *domains);
