# SPDX-License-Identifier: GPL-2.0-only
"""What ./bench does on the host: plan, boot, reckon, show."""
