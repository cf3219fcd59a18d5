/* SPDX-License-Identifier: GPL-2.0-only */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/bus/fuzz-values.h"

enum {
	MAX_WORDS = 4096,
	MAX_STRING = 4 * 1024 * 1024,
	MAX_BYTES = 16 * 1024 * 1024,
	MAX_ELEMENTS = 6000,
	MAX_FDS = 8, /* the bus throws out who sends more than 16 with one message */
};

static uint64_t state;
static char *words[MAX_WORDS];
static unsigned nr_words;

/* Of the message that is being made. */
static unsigned nr_fds, nr_elements;
static size_t bytes_left;

void fuzz_seed(uint64_t seed)
{
	state = seed * 2 + 1; /* never 0, which xorshift cannot leave */
}

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

unsigned fuzz_below(unsigned n)
{
	return (next() >> 32) % n;
}

static bool chance(unsigned pct)
{
	return fuzz_below(100) < pct;
}

void fuzz_new_message(void)
{
	nr_fds = nr_elements = 0;
	bytes_left = MAX_BYTES;
}

void fuzz_add_word(const char *word)
{
	if (nr_words < MAX_WORDS)
		words[nr_words++] = strdup(word);
}

static const char *long_string(void)
{
	static char buf[MAX_STRING];
	static const unsigned sizes[] = { 100, 255, 256, 257, 4096, 20000, 65536 };
	size_t size = sizes[fuzz_below(sizeof(sizes) / sizeof(sizes[0]))];

	if (fuzz_below(500) == 0)
		size = sizeof(buf) - 1;
	if (size > bytes_left)
		return "";
	bytes_left -= size;
	memset(buf, 'a' + fuzz_below(26), size);
	buf[size] = '\0';
	return buf;
}

const char *fuzz_string(void)
{
	static const char *const odd[] = {
		"",	 " ",  "%s%n%d", "\n\t\x7f\x1b[2J", "\xc3\xa9\xe2\x82\xac",
		"../..", "-1", "NaN",	 "'\";$(x)",	    "\xf0\x9f\x98\x80"
	};

	if (nr_words && chance(75))
		return words[fuzz_below(nr_words)];
	if (chance(10))
		return long_string();
	return odd[fuzz_below(sizeof(odd) / sizeof(odd[0]))];
}

static uint64_t number(void)
{
	static const uint64_t edges[] = { 0,	     1,		 2,	     127,	128,
					  255,	     32767,	 65535,	     INT32_MAX, UINT32_MAX,
					  INT64_MAX, UINT64_MAX, 1000000000, 1ULL << 63 };

	if (chance(60))
		return edges[fuzz_below(sizeof(edges) / sizeof(edges[0]))];
	return chance(50) ? fuzz_below(1000) : next();
}

static int descriptor(void)
{
	static int fds[3] = { -1 };

	if (fds[0] < 0) {
		fds[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
		fds[1] = syscall(SYS_pidfd_open, getpid(), 0);
		fds[2] = open("/", O_PATH | O_CLOEXEC);
	}
	nr_fds++;
	return fds[fuzz_below(3)];
}

static int append_basic(sd_bus_message *message, char type)
{
	static const char *const paths[] = { "/", "/org/donor/Scheduler1", "/a/b_c/0" };
	static const char *const signatures[] = { "", "s", "a{sv}", "((((u))))" };
	union {
		uint64_t number;
		double real;
		int flag;
		int fd;
	} value = { .number = number() };

	switch (type) {
	case 's':
		return sd_bus_message_append_basic(message, type, fuzz_string());
	case 'o':
		return sd_bus_message_append_basic(message, type, paths[fuzz_below(3)]);
	case 'g':
		return sd_bus_message_append_basic(message, type, signatures[fuzz_below(4)]);
	case 'h':
		value.fd = descriptor();
		break;
	case 'b':
		value.flag = fuzz_below(2);
		break;
	case 'd':
		value.real = (double)value.number / (fuzz_below(3) - 1.0); /* infinite, too */
		break;
	}
	return sd_bus_message_append_basic(message, type, &value);
}

/* How many characters the first complete type has. */
static size_t type_length(const char *signature)
{
	size_t length = 0;
	int depth = 0;

	while (signature[length] == 'a')
		length++;
	do {
		depth += strchr("({", signature[length]) ? 1 : 0;
		depth -= strchr(")}", signature[length]) ? 1 : 0;
		length++;
	} while (depth > 0);
	return length;
}

static const char *any_type(void)
{
	static const char *const types[] = { "s",     "b",  "t",   "u",	     "h",  "i",
					     "x",     "d",  "y",   "n",	     "q",  "o",
					     "g",     "as", "ay",  "a{sv}",  "au", "(sub)",
					     "a{st}", "ah", "aay", "a(tsb)", "v" };

	const char *type;

	do
		type = types[fuzz_below(sizeof(types) / sizeof(types[0]))];
	while (strchr(type, 'h') && nr_fds >= MAX_FDS);
	return type;
}

static int append_array(sd_bus_message *message, const char *contents)
{
	unsigned nr = chance(40) ? 0 : fuzz_below(4);
	int r;

	if (nr && fuzz_below(100) == 0 && !strchr(contents, 'h'))
		nr = fuzz_below(3000);
	nr_elements += nr;
	if (nr_elements > MAX_ELEMENTS)
		nr = 0;
	r = sd_bus_message_open_container(message, 'a', contents);
	while (r >= 0 && nr-- > 0)
		r = fuzz_append(message, contents);
	return r < 0 ? r : sd_bus_message_close_container(message);
}

static int append_container(sd_bus_message *message, char type, const char *contents)
{
	int r;

	r = sd_bus_message_open_container(message, type, contents);
	if (r >= 0)
		r = fuzz_append(message, contents);
	return r < 0 ? r : sd_bus_message_close_container(message);
}

static int append_type(sd_bus_message *message, const char *type, size_t length)
{
	char contents[256];

	if (length == 1 && type[0] != 'v')
		return append_basic(message, type[0]);
	if (type[0] == 'v')
		return append_container(message, 'v', any_type());
	if (length >= sizeof(contents))
		return -E2BIG;
	if (type[0] == 'a') {
		memcpy(contents, type + 1, length - 1);
		contents[length - 1] = '\0';
		return append_array(message, contents);
	}
	memcpy(contents, type + 1, length - 2);
	contents[length - 2] = '\0';
	return append_container(message, type[0] == '{' ? 'e' : 'r', contents);
}

int fuzz_append(sd_bus_message *message, const char *signature)
{
	size_t length;
	int r;

	for (; *signature; signature += length) {
		length = type_length(signature);
		r = append_type(message, signature, length);
		if (r < 0)
			return r;
	}
	return 0;
}

int fuzz_append_anything(sd_bus_message *message)
{
	int r = 0;

	for (unsigned nr = fuzz_below(5); r >= 0 && nr > 0; nr--)
		r = fuzz_append(message, any_type());
	return r;
}
