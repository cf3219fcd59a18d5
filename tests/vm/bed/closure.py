# SPDX-License-Identifier: GPL-2.0-only
"""Programs and the shared libraries they need, as paths of the tree. Runs inside the tree."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .errors import BedError

LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
LIBRARY_DIRS = ["/usr/lib/x86_64-linux-gnu", "/usr/local/lib/x86_64-linux-gnu", "/usr/local/lib"]


def is_elf(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries(programs: Iterable[Path], extra_root: Path | None = None) -> list[Path]:
    """The libraries these files load at start. They may come from extra_root, where they stay."""
    programs = sorted(set(map(str, programs)))
    if not programs:
        return []
    roots = [f"{extra_root}{directory}" for directory in LIBRARY_DIRS] if extra_root else []
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(roots)}
    output = subprocess.run(["ldd", *programs], env=environment, capture_output=True, text=True, check=False).stdout
    missing = re.findall(r"(\S+) => not found", output)
    if missing:
        raise BedError(f"{missing[0]}, which {programs[0]} or another program needs, is not in the tree")
    found = {Path(path) for path in LIBRARY.findall(output)}
    return sorted(path for path in found if not (extra_root and path.is_relative_to(extra_root)))


def program(name: str) -> Path:
    path = shutil.which(name)
    if not path:
        raise BedError(f"there is no program {name} in the tree; add its package in tests/vm/bed/packages.py")
    return Path(path)
