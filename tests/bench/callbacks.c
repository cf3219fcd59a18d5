/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callbacks: print as JSON how often each of donor's callbacks has run and for how many nanoseconds
 * in all, since kernel.bpf_stats_enabled was set.
 */

#include <bpf/bpf.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

/* Names are cut off by the kernel. */
static bool is_ours(const char *name)
{
	return strncmp(name, "donor_", strlen("donor_")) == 0;
}

static void add(struct json_object *result, const struct bpf_prog_info *info)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "runs", json_object_new_uint64(info->run_cnt));
	json_object_object_add(one, "took_ns", json_object_new_uint64(info->run_time_ns));
	json_object_object_add(result, info->name + strlen("donor_"), one);
}

int main(void)
{
	struct json_object *result = json_object_new_object();

	for (__u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0 || bpf_prog_get_info_by_fd(fd, &info, &size) < 0)
			die("callbacks: program");
		if (is_ours(info.name) && info.run_cnt)
			add(result, &info);
		close(fd);
	}
	puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PLAIN));
	json_object_put(result);
	return EXIT_SUCCESS;
}
