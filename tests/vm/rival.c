/* SPDX-License-Identifier: GPL-2.0-only */
/* rival OBJECT: attach the scheduler in OBJECT until a signal comes; exits with errno on failure. */

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;

	if (!object || bpf_object__load(object) < 0 ||
	    !bpf_map__attach_struct_ops(bpf_object__find_map_by_name(object, "rival"))) {
		int r = errno;

		perror("rival");
		return r;
	}
	puts("attached");
	fflush(stdout);
	return pause();
}
