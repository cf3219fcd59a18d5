/* SPDX-License-Identifier: GPL-2.0-only */

/* kernel.h on /sys and on the kernel's uevent socket. */

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "service/cleanup.h"
#include "service/kernel.h"

#define SCHED_EXT_DIR "/sys/kernel/sched_ext"

enum { KERNEL_GROUP = 1 }; /* multicast group of the kernel's own uevents; udev's is 2 */

/* First line of a small file, without its newline; empty if there is no such file. */
static void read_line(const char *path, char *buf, size_t size)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	buf[n < 0 ? 0 : n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

static uint64_t read_u64(const char *path)
{
	char buf[32];

	read_line(path, buf, sizeof(buf));
	return strtoull(buf, NULL, 10);
}

void kernel_read(struct kernel_state *ret)
{
	char state[32];

	*ret = (struct kernel_state){
		.has_sched_ext = access(SCHED_EXT_DIR "/state", R_OK) == 0,
		.has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0,
		.enable_seq = read_u64(SCHED_EXT_DIR "/enable_seq"),
		.hotplug_seq = read_u64(SCHED_EXT_DIR "/hotplug_seq"),
	};
	read_line(SCHED_EXT_DIR "/state", state, sizeof(state));
	ret->enabled = strcmp(state, "enabled") == 0;
	ret->is_changing = strcmp(state, "enabling") == 0 || strcmp(state, "disabling") == 0;
	if (ret->enabled)
		read_line(SCHED_EXT_DIR "/root/ops", ret->ops, sizeof(ret->ops));
}

int kernel_watch_open(void)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = KERNEL_GROUP,
	};
	_cleanup_(closep) int fd = -1;

	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return steal_fd(fd);
}

/* A uevent is a row of strings: "ACTION@DEVPATH", then "KEY=value" each. */
bool kernel_uevent_is_sched_ext(const char *message, size_t size)
{
	static const char wanted[] = "SUBSYSTEM=sched_ext";

	for (size_t at = 0; at < size;) {
		size_t length = strnlen(message + at, size - at);

		if (length == sizeof(wanted) - 1 && memcmp(message + at, wanted, length) == 0)
			return true;
		at += length + 1;
	}
	return false;
}

bool kernel_watch_drain(int fd)
{
	bool news = false;

	for (;;) {
		char buf[8192];
		struct sockaddr_nl sender;
		socklen_t length = sizeof(sender);
		ssize_t n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&sender, &length);

		/* The socket overran: something was lost, perhaps ours. */
		if (n < 0 && errno == ENOBUFS)
			news = true;
		else if (n < 0 && errno != EINTR)
			return news;
		/* Only the kernel has port 0; any process may send to this socket. */
		else if (n > 0 && sender.nl_pid == 0)
			news |= kernel_uevent_is_sched_ext(buf, n);
	}
}
