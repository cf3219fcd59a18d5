# SPDX-License-Identifier: GPL-2.0-only
"""The VM test bed: one Debian tree, kernels with sched_ext, and QEMU around them."""
