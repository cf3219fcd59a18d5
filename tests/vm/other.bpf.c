/* SPDX-License-Identifier: GPL-2.0-only */
/* donor's scheduler, in another build: what an upgrade that changes it installs. */

#include "bpf/donor.bpf.c"

const char other_build[] SEC(".rodata") = "other";
