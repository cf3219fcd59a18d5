# SPDX-License-Identifier: GPL-2.0-only
"""Into the tree, where all is built and tested; outside it only Python is needed."""

import os
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
TREE = CHECKOUT / "tests/vm/tree"
VM = CHECKOUT / "tests/vm/vm"


def go_inside(*arguments: str) -> None:
    """Returns in the tree; outside it, starts the running program again with these arguments."""
    if "DONOR_TREE" in os.environ:
        return
    sys.stdout.flush()
    os.execv(TREE, [str(TREE), "enter", "--", "/usr/bin/python3", os.path.abspath(sys.argv[0]), *arguments])
