/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>

/* In the environment: the descriptor of the model that credits workers with work. */
#define WORK_MODEL_FD "DONOR_BENCH_MODEL_FD"

/* This process is worker number NN from now on. Without a model it spins loops instead. */
void work_begin(unsigned int number);

/* Compute what takes so long at full speed. */
void work_for(__u64 ns);
