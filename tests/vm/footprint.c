/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * footprint: what the attached scheduler costs the kernel to verify and to remember: instructions
 * that the verifier looked at, per program, and bytes per task. Exits with 1 above the limits.
 *
 * The verifier gives up at a million. A program that comes near on one kernel may pass it on
 * another, so the limit is far below.
 */

#include <bpf/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_VERIFIED_INSNS = 150000,
	MAX_TASK_BYTES = 256,
};

/* Names are cut off by the kernel. */
static bool is_ours(const char *name)
{
	return strncmp(name, "donor_", strlen("donor_")) == 0;
}

static bool program_fits(const struct bpf_prog_info *info)
{
	printf("%s: %u verified instructions, %u bytes of code\n", info->name, info->verified_insns,
	       info->jited_prog_len);
	return info->verified_insns > 0 && info->verified_insns <= MAX_VERIFIED_INSNS;
}

/* How many programs of ours there are; -1 if one is too big. */
static int check_programs(void)
{
	bool fit = true;
	int nr = 0;

	for (__u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0 || bpf_prog_get_info_by_fd(fd, &info, &size) < 0)
			perror("footprint: program");
		else if (is_ours(info.name) && ++nr)
			fit &= program_fits(&info);
		if (fd >= 0)
			close(fd);
	}
	return fit ? nr : -1;
}

static bool map_fits(const struct bpf_map_info *info)
{
	printf("%s: %u bytes for each\n", info->name, info->value_size);
	return info->value_size <= MAX_TASK_BYTES;
}

/* As above, of maps with a value for each task. */
static int check_maps(void)
{
	bool fit = true;
	int nr = 0;

	for (__u32 id = 0; bpf_map_get_next_id(id, &id) == 0;) {
		struct bpf_map_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0 || bpf_map_get_info_by_fd(fd, &info, &size) < 0)
			perror("footprint: map");
		else if (info.type == BPF_MAP_TYPE_TASK_STORAGE && ++nr)
			fit &= map_fits(&info);
		if (fd >= 0)
			close(fd);
	}
	return fit ? nr : -1;
}

int main(void)
{
	int nr_programs = check_programs();
	int nr_maps = check_maps();

	if (nr_programs > 0 && nr_maps > 0)
		return 0;
	fprintf(stderr, "footprint: %s\n",
		nr_programs && nr_maps ? "too big" : "no scheduler of ours is attached");
	return 1;
}
