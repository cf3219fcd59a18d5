/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The server's side of one HTTP exchange on standard input and output, and no more of it. */

struct http_request {
	char buffer[8192]; /* owns the strings */
	const char *method;
	const char *path; /* without what follows a '?' */
};

/*
 * Waits for a request, at most ten seconds in all. 0: there is one. Positive: the status to answer
 * with, 400, 408 or 431. -ECONNRESET: the other side said nothing and left.
 */
int http_read_request(struct http_request *ret);

struct http_answer {
	int status;
	const char *type; /* of the content */
	const char *body;
	bool is_head; /* the headers alone */
};

/* A negative errno if the other side did not take all of it. */
int http_write_answer(const struct http_answer *answer);
