/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <string.h>

#include "service/sender-text.h"

/* Those of ASCII; and those from U+0080 to U+009F, which terminals obey as well. */
static int is_control(const unsigned char *c)
{
	return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

int sender_text_check(const char *text)
{
	if (strlen(text) > SENDER_TEXT_MOST)
		return -E2BIG;
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (is_control(c))
			return -EINVAL;
	return 0;
}

void sender_text_copy(char ret[SENDER_TEXT_BYTES], const char *text)
{
	memset(ret, 0, SENDER_TEXT_BYTES);
	memcpy(ret, text, strnlen(text, SENDER_TEXT_MOST));
}
