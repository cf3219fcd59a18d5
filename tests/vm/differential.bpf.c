/* SPDX-License-Identifier: GPL-2.0-only */
/* Policy as the kernel runs it: a program for each line of differential.def, on one case in a map. */

#include "bpf/kernel.bpf.h"

#include "tests/vm/differential.h"

char _license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct decision_case);
} decision SEC(".maps");

#define DECISION(name, ...)                                                                        \
	SEC("syscall") int decide_##name(void *context)                                            \
	{                                                                                          \
		__u32 zero = 0;                                                                    \
		struct decision_case *c = bpf_map_lookup_elem(&decision, &zero);                   \
                                                                                                   \
		if (!c)                                                                            \
			return -1;                                                                 \
		ask_##name(c);                                                                     \
		return 0;                                                                          \
	}
#include "tests/vm/differential.def"
