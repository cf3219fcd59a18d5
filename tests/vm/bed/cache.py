# SPDX-License-Identifier: GPL-2.0-only
"""The cache outside the checkout: where it is, its locks, and entries that appear whole or not at all."""

import contextlib
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]


def cache_dir() -> Path:
    """DONOR_CACHE, else donor/ in the user's cache directory; made if missing."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = Path(os.environ.get("DONOR_CACHE") or os.path.join(base, "donor")).absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name: str) -> Iterator[int]:
    """Hold the cache's lock of that name. The file descriptor may be handed to a child, which
    then keeps the lock even if we are killed."""
    fd = os.open(cache_dir() / f"{name}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"cache: waiting for another process that makes {name}", file=sys.stderr, flush=True)
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def remove_tree(path: Path) -> None:
    """Remove a directory, but never follow a mount that a broken run may have left in it."""
    subprocess.run(["rm", "-rf", "--one-file-system", str(path)], check=True)


@contextlib.contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """Give a fresh directory beside path, and rename it to path if the body succeeds.
    Call with the lock held: what an earlier, killed run left is removed first."""
    unfinished = path.with_name(path.name + ".unfinished")
    remove_tree(unfinished)
    unfinished.mkdir()
    try:
        yield unfinished
        unfinished.rename(path)
    finally:
        if unfinished.exists():
            remove_tree(unfinished)
