/* SPDX-License-Identifier: GPL-2.0-only */
/* Another sched_ext scheduler, for the tests of what donord does about it. The kernel's defaults. */

#include "bpf/kernel.bpf.h"

char _license[] SEC("license") = "GPL";

SEC(".struct_ops.link")
struct sched_ext_ops rival = {
	.name = "rival",
};
