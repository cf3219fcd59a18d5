/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * scheduler.h and kernel.h without a kernel: linked into donord in place of the real ones. A test
 * plays the kernel through small files in the directory DONOR_FAKE_DIR:
 *
 *   no-sched-ext, no-btf   the kernel lacks it
 *   no-watch               it makes no announcements
 *   foreign                name of another scheduler, attached while the file is there
 *   attach-error           "errno text": what scheduler_attach() fails with
 *   hotplug                a CPU comes during the next attach, which fails
 *   set-params-error       "errno": what scheduler_set_params() fails with
 *   disabling              the kernel has not finished an ejection
 *   ejected                four lines: kind, code, reason, message; appears at an ejection
 *   domains                "nr_cpus nr_cores kind node" per domain, instead of this machine
 *   build                  the build that this donord is of
 *   hotplug-seq            what the kernel says of its CPUs
 *   drops-privileges       capabilities can be dropped, and then are gone
 *
 * and sees what was asked of it in
 *
 *   params                 the parameters in force, "name=value" each; there while attached
 *   attaches, loads        one line per attach and per load
 *
 * The memory that "the kernel" shares is a file, and its descriptor is all there is to a scheduler.
 */

const char *fake_path(const char *name); /* valid until the next call */
bool fake_exists(const char *name);
FILE *fake_open(const char *name, const char *mode);

/* A line without its newline; empty if there is none. */
void fake_line(FILE *f, char *buf, size_t size);

/* A CPU came or went. */
void fake_hotplug(void);

/* A number, and what stands after it; 0 if there is no such file. */
int fake_number(const char *name, char *text, size_t size);
