/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "tests/sim/sim.h"

/*
 * What happens in runs, as a file for ui.perfetto.dev in the JSON format of Chrome's tracing: each
 * policy is a process and each CPU a thread, on which tasks are slices, and donations, kicks and
 * missed frames are marks.
 */
struct trace;

int trace_open(const char *path, struct trace **ret);
int trace_begin(struct trace *trace, struct sim *sim); /* registers itself as an observer */
void trace_end(struct trace *trace); /* of that run; tasks that still run end here */
/* 0, or the first error of writing; frees it. */
int trace_close(struct trace *trace);
