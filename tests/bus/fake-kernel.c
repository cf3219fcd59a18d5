/* SPDX-License-Identifier: GPL-2.0-only */

/* kernel.h without a kernel: see fake.h. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include "service/cleanup.h"
#include "service/kernel.h"
#include "tests/bus/fake.h"

const char *fake_path(const char *name)
{
	static char path[4096];
	const char *dir = getenv("DONOR_FAKE_DIR");

	if (!dir) {
		fprintf(stderr, "DONOR_FAKE_DIR is not set\n");
		abort();
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

bool fake_exists(const char *name)
{
	return access(fake_path(name), F_OK) == 0;
}

FILE *fake_open(const char *name, const char *mode)
{
	return fopen(fake_path(name), mode);
}

void fake_line(FILE *f, char *buf, size_t size)
{
	if (!f || !fgets(buf, size, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

int fake_number(const char *name, char *text, size_t size)
{
	_cleanup_(fclosep) FILE *f = fake_open(name, "re");
	char line[512];
	char *rest;
	int r;

	fake_line(f, line, sizeof(line));
	r = strtol(line, &rest, 10);
	snprintf(text, size, "%s", rest + strspn(rest, " "));
	return r;
}

void fake_hotplug(void)
{
	char text[32];
	int seq = fake_number("hotplug-seq", text, sizeof(text));
	_cleanup_(fclosep) FILE *f = fake_open("hotplug-seq", "we");

	fprintf(f, "%d\n", seq + 1);
}

void kernel_read(struct kernel_state *ret)
{
	_cleanup_(fclosep) FILE *foreign = fake_open("foreign", "re");
	char text[32];

	*ret = (struct kernel_state){
		.has_sched_ext = !fake_exists("no-sched-ext"),
		.has_btf = !fake_exists("no-btf"),
		.is_changing = fake_exists("disabling"),
		.enabled = foreign || (fake_exists("params") && !fake_exists("ejected")),
		.hotplug_seq = fake_number("hotplug-seq", text, sizeof(text)),
	};
	if (foreign)
		fake_line(foreign, ret->ops, sizeof(ret->ops));
	else if (ret->enabled)
		strcpy(ret->ops, "donor");
}

int kernel_watch_open(void)
{
	_cleanup_(closep) int fd = -1;

	if (fake_exists("no-watch"))
		return -EAFNOSUPPORT;
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0 || inotify_add_watch(fd, fake_path(""), IN_MOVED_TO | IN_DELETE) < 0)
		return -errno;
	return steal_fd(fd);
}

bool kernel_watch_drain(int fd)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool news = false;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const void *)p;

			news |= strcmp(event->name, "foreign") == 0 ||
				strcmp(event->name, "ejected") == 0;
			p += sizeof(*event) + event->len;
		}
	return news;
}
