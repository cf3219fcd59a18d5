/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * Texts that anybody may send and others read, in terminals and journals: reasons, names of
 * applications. That they are UTF-8 is checked by the bus.
 */
enum {
	SENDER_TEXT_MOST = 256,
	SENDER_TEXT_BYTES = SENDER_TEXT_MOST + 2, /* even, so that structs have no holes */
};

/* -E2BIG: longer than that. -EINVAL: a control character in it. */
int sender_text_check(const char *text);

/* Clears what the text does not fill. It fits: it was checked. */
void sender_text_copy(char ret[SENDER_TEXT_BYTES], const char *text);
