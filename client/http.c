/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/http.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_MSEC 10000
#define DRAIN_MSEC 500

static int64_t now_msec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* As read(), until the deadline: then -ETIMEDOUT. */
static ssize_t read_until(int64_t deadline, char *buffer, size_t size)
{
	struct pollfd poll_in = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t left;
	ssize_t n;
	int r;

	do {
		left = deadline - now_msec();
		r = left > 0 ? poll(&poll_in, 1, (int)left) : 0;
	} while (r < 0 && errno == EINTR);
	if (r <= 0)
		return r < 0 ? -errno : -ETIMEDOUT;
	n = read(STDIN_FILENO, buffer, size);
	return n < 0 ? -errno : n;
}

/* What ends the headers; people who try it by hand send plain newlines. */
static bool has_end(const char *text)
{
	return strstr(text, "\r\n\r\n") || strstr(text, "\n\n");
}

/* "GET /metrics HTTP/1.1" */
static int parse(struct http_request *request)
{
	char *line = request->buffer, *path, *version;

	line[strcspn(line, "\r\n")] = '\0';
	path = strchr(line, ' ');
	version = path ? strchr(path + 1, ' ') : NULL;
	if (!version || strncmp(version + 1, "HTTP/1.", 7) || path[1] != '/')
		return 400;
	*path++ = *version = '\0';
	path[strcspn(path, "?")] = '\0';
	request->method = line;
	request->path = path;
	return 0;
}

int http_read_request(struct http_request *ret)
{
	int64_t deadline = now_msec() + REQUEST_MSEC;
	size_t used = 0;
	ssize_t n;

	ret->buffer[0] = '\0';
	while (!has_end(ret->buffer)) {
		if (used == sizeof(ret->buffer) - 1)
			return 431;
		n = read_until(deadline, ret->buffer + used, sizeof(ret->buffer) - 1 - used);
		if (n == -ETIMEDOUT)
			return 408;
		if (n <= 0)
			return used ? 400 : -ECONNRESET;
		if (memchr(ret->buffer + used, '\0', (size_t)n))
			return 400;
		used += (size_t)n;
		ret->buffer[used] = '\0';
	}
	return parse(ret);
}

static const char *status_words(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 400:
		return "Bad Request";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 408:
		return "Request Timeout";
	case 431:
		return "Request Header Fields Too Large";
	default:
		return "Service Unavailable";
	}
}

/* A socket that is closed with something unread in it takes the answer back. */
static void drain(void)
{
	int64_t deadline = now_msec() + DRAIN_MSEC;
	char rest[4096];

	if (shutdown(STDOUT_FILENO, SHUT_WR) < 0)
		return; /* no socket */
	while (read_until(deadline, rest, sizeof(rest)) > 0)
		;
}

int http_write_answer(const struct http_answer *answer)
{
	int r;

	r = printf("HTTP/1.1 %d %s\r\n"
		   "Content-Type: %s\r\n"
		   "Content-Length: %zu\r\n"
		   "%s"
		   "Connection: close\r\n\r\n"
		   "%s",
		   answer->status, status_words(answer->status), answer->type, strlen(answer->body),
		   answer->status == 405 ? "Allow: GET, HEAD\r\n" : "",
		   answer->is_head ? "" : answer->body);
	if (r < 0 || fflush(stdout))
		return -errno;
	drain();
	return 0;
}
