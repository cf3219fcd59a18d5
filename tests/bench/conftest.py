# SPDX-License-Identifier: GPL-2.0-only
"""The modules of the host and of the guest, for their tests."""

import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH), str(BENCH.parent), str(BENCH.parent / "vm"), str(BENCH / "guest")]
