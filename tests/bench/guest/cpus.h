/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Bind this process to the CPUs of a list like 0-3,6; NULL is all that there are. -errno. */
int cpus_bind(const char *list);

/* Bind it to the one at this position of the list, which begins anew at its end. */
int cpus_bind_nth(const char *list, int n);
