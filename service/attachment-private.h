/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "service/attachment.h"

/* The attachment's inside, for the attachment*.c files alone. */

void attachment_set_state(struct attachment *attachment, enum service_state state,
			  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The kernel runs another scheduler. Returns -EBUSY. */
int attachment_contend(struct attachment *attachment);
