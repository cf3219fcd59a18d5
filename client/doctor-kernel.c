/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of /sys and /proc, which need no service. */
#include <errno.h>
#include <string.h>

#include "client/doctor.h"
#include "client/system-files.h"

static void check_sched_ext(struct doctor *doctor)
{
	if (system_has(SYSTEM_SCHED_EXT))
		doctor_note(doctor, "sched_ext", VERDICT_OK, STATUS_OK, NULL,
			    "The kernel has sched_ext");
	else
		doctor_note(doctor, "sched_ext", VERDICT_FAILED, STATUS_UNSUPPORTED,
			    "Boot a kernel of 6.12 or later with CONFIG_SCHED_CLASS_EXT=y",
			    "The kernel has no sched_ext");
}

static void check_btf(struct doctor *doctor)
{
	if (system_has("/sys/kernel/btf/vmlinux"))
		doctor_note(doctor, "btf", VERDICT_OK, STATUS_OK, NULL,
			    "The kernel describes its types (BTF)");
	else
		doctor_note(doctor, "btf", VERDICT_FAILED, STATUS_UNSUPPORTED,
			    "Boot a kernel with CONFIG_DEBUG_INFO_BTF=y",
			    "The kernel does not describe its types (BTF)");
}

/* Schedulers are called through trampolines that only the compiler makes. */
static void check_jit(struct doctor *doctor)
{
	char line[16];
	int r;

	r = system_read_line("/proc/sys/net/core/bpf_jit_enable", line, sizeof(line));
	if (r == -EACCES)
		doctor_note(doctor, "bpf_jit", VERDICT_UNKNOWN, STATUS_OK,
			    "Run it as root: sudo donorctl doctor",
			    "Only root can see whether the kernel compiles BPF programs");
	else if (r < 0)
		doctor_note(doctor, "bpf_jit", VERDICT_UNKNOWN, STATUS_OK, NULL,
			    "The kernel does not say whether it compiles BPF programs");
	else if (!strcmp(line, "0"))
		doctor_note(doctor, "bpf_jit", VERDICT_FAILED, STATUS_UNSUPPORTED,
			    "Turn it on: sysctl net.core.bpf_jit_enable=1",
			    "The kernel's compiler for BPF programs is off");
	else
		doctor_note(doctor, "bpf_jit", VERDICT_OK, STATUS_OK, NULL,
			    "The kernel compiles BPF programs");
}

static void check_scheduler(struct doctor *doctor)
{
	char ops[128];

	if (!system_has(SYSTEM_SCHED_EXT))
		return;
	(void)system_read_line(SYSTEM_ROOT_OPS, ops, sizeof(ops));
	if (!strcmp(ops, "donor"))
		doctor_note(doctor, "scheduler", VERDICT_OK, STATUS_OK, NULL,
			    "The kernel runs donor");
	else if (!*ops)
		doctor_note(doctor, "scheduler", VERDICT_OK, STATUS_OK, NULL,
			    "No other sched_ext scheduler is attached");
	else
		doctor_note(doctor, "scheduler", VERDICT_FAILED, STATUS_CONFLICT,
			    "Stop it, often: systemctl stop scx.service scx_loader.service",
			    "Another sched_ext scheduler is attached: %s", ops);
}

static void check_smt(struct doctor *doctor)
{
	char line[16];

	if (system_read_line("/sys/devices/system/cpu/smt/active", line, sizeof(line)) < 0)
		doctor_note(doctor, "smt", VERDICT_UNKNOWN, STATUS_OK, NULL,
			    "The kernel does not say whether cores run several threads");
	else
		doctor_note(doctor, "smt", VERDICT_OK, STATUS_OK, NULL, "%s",
			    strcmp(line, "1") ? "Each core is one CPU (no SMT)"
					      : "Cores run several threads (SMT)");
}

void doctor_check_kernel(struct doctor *doctor)
{
	check_sched_ext(doctor);
	check_btf(doctor);
	check_jit(doctor);
	check_scheduler(doctor);
	check_smt(doctor);
}
