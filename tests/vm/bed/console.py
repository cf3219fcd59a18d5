# SPDX-License-Identifier: GPL-2.0-only
"""The guest's kernel console: where it is kept, and what in it means that the run failed."""

import re
from datetime import datetime
from pathlib import Path

from .cache import cache_dir

KEPT = 20
TAIL_LINES = 25

# A kernel message that no sound run has. What user space writes to the console has no time stamp.
FAULT = re.compile(
    r"^.*\[ *\d+\.\d+\].*?(?:\bOops\b|\bBUG:|[Kk]ernel panic|\bint3:|WARNING: .*kernel/sched/ext|"
    r"WARNING: .*scx_).*$",
    re.MULTILINE,
)
LINES_AFTER_FAULT = 40


def new_console_file() -> Path:
    """A file in the cache; the oldest ones go."""
    directory = cache_dir() / "consoles"
    directory.mkdir(exist_ok=True)
    for old in sorted(directory.iterdir())[:-KEPT]:
        old.unlink(missing_ok=True)
    return directory / f"{datetime.now():%Y%m%d-%H%M%S-%f}.log"


def text(path: Path) -> str:
    return path.read_text(errors="replace").replace("\r", "") if path.exists() else ""


def fault(path: Path) -> str:
    """The first fault and the lines after it; empty if there is none."""
    content = text(path)
    match = FAULT.search(content)
    if not match:
        return ""
    return "\n".join(content[match.start() :].splitlines()[:LINES_AFTER_FAULT])


def tail(path: Path) -> str:
    return "\n".join(text(path).splitlines()[-TAIL_LINES:])
