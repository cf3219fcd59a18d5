/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * The proxy for energy: one unit is a core of capacity 1024 at nominal frequency for a second. All
 * of it is assumed; it orders policies on one machine and says nothing about watts.
 */

/* Voltage as a share of that at nominal frequency f = 1: it falls in a line down to the floor. */
#define ENERGY_VOLTAGE_FLOOR 0.6 /* assumed: 0.7 V where nominal is 1.15 V */
#define ENERGY_VOLTAGE_SLOPE 0.5 /* assumed: volts lost per share of frequency */

/* A second thread on a core that is active anyway. Assumed. */
#define ENERGY_SECOND_THREAD 0.15

/* A last-level cache and its fabric, while at least one of its cores is active. Assumed. */
#define ENERGY_CACHE_AWAKE 0.5

/* A core that leaves its sleep state, in seconds of its nominal power. Assumed: about 50 us. */
#define ENERGY_CORE_WAKE 50e-6
