/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Words that may stand at one place of the command line, for checks and completion; ending with
 * NULL. */
extern const char *const state_choices[];
extern const char *const level_choices[];
extern const char *const event_choices[]; /* until which a choice lasts */
extern const char *const style_choices[]; /* in the order of enum json_style, from JSON_OFF on */
