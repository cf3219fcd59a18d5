/* SPDX-License-Identifier: GPL-2.0-only */
/* donor's scheduler with one program more, which no verifier lets through: it looks into NULL. */

#include "bpf/donor.bpf.c"

SEC("syscall")
int look_into_null(void *context)
{
	__u32 nothing = 1;
	struct donor_machine *m = bpf_map_lookup_elem(&machine, &nothing);

	return m->nr_cpus;
}
