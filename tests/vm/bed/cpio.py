# SPDX-License-Identifier: GPL-2.0-only
"""Write an initramfs archive ("newc"). Times and numbers are fixed, so that the same files give the
same bytes: the deterministic mode depends on it."""

import os
import stat
from pathlib import Path
from typing import BinaryIO


class Archive:
    def __init__(self, output: BinaryIO) -> None:
        self.output = output
        self.count = 0
        self.seen: set[str] = set()

    def entry(self, name: str, mode: int, data: bytes) -> None:
        if name in self.seen:
            return
        self.seen.add(name)
        self.parents(name)
        self.count += 1
        encoded = name.encode() + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = [self.count, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(encoded), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.padded(header + encoded)
        self.padded(data)

    def padded(self, data: bytes) -> None:
        self.output.write(data + b"\0" * (-len(data) % 4))

    def parents(self, name: str) -> None:
        parent = os.path.dirname(name)
        if parent:
            self.directory(parent)

    def directory(self, name: str, mode: int = 0o755) -> None:
        self.entry(name, stat.S_IFDIR | mode, b"")

    def symlink(self, name: str, target: str) -> None:
        self.entry(name, stat.S_IFLNK | 0o777, target.encode())

    def text(self, name: str, text: str, mode: int = 0o644) -> None:
        self.entry(name, stat.S_IFREG | mode, text.encode())

    def path(self, name: str, source: Path) -> None:
        """A file or symbolic link as it is; a directory with all that is in it."""
        if source.is_symlink():
            self.symlink(name, os.readlink(source))
        elif source.is_dir():
            self.directory(name, stat.S_IMODE(source.stat().st_mode))
            for child in sorted(source.iterdir()):
                self.path(f"{name}/{child.name}", child)
        elif source.is_file():
            self.entry(name, source.stat().st_mode, source.read_bytes())

    def finish(self) -> None:
        self.entry("TRAILER!!!", 0, b"")
