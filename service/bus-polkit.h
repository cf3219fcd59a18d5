/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <systemd/sd-bus.h>

#include "service/cleanup.h"

/* One question to polkit about a client of the bus, without waiting for the answer. */

enum polkit_answer {
	POLKIT_YES,
	POLKIT_NO,
	POLKIT_CHALLENGE, /* a person would have to show who they are, and was not or cannot be asked */
	POLKIT_ABSENT, /* nobody decides on this machine */
	POLKIT_FAILED, /* the text says why */
};

/* Called once, from the event loop, unless the question is freed before. text is "" or a cause. */
typedef void (*polkit_handler_t)(void *userdata, enum polkit_answer answer, const char *text);

struct polkit_question;

/* May the client, a unique name, do this? Only with is_interactive may polkit ask a person. */
int polkit_ask(struct polkit_question **ret, sd_bus *bus, const char *client, const char *action,
	       bool is_interactive, polkit_handler_t handler, void *userdata);

/* Withdraws the question if it is open: a dialogue on somebody's screen goes away. */
struct polkit_question *polkit_question_free(struct polkit_question *question);
DEFINE_CLEANUP(struct polkit_question *, polkit_question_free);
