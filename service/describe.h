/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/manager.h"

/*
 * The state as one JSON object: the properties of the bus in snake_case, and what they do not say:
 * whether a person or the mode decides on donation, and the parameters in force.
 */
int describe(struct manager *manager, char **ret);
