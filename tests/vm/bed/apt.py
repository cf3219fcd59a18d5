# SPDX-License-Identifier: GPL-2.0-only
"""The tree's apt, with state of its own in the cache: package lists of the archive, checked by its
signatures, and packages taken apart without being installed. Runs inside the tree."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .cache import cache_dir, locked
from .errors import BedError
from .packages import SUITE
from .progress import stage

BACKPORTS = f"{SUITE}-backports"

# An archive's list of kernels changes every week or so.
LISTS_AGE_SECONDS = 24 * 3600


class Apt:
    """One suite of the archive."""

    def __init__(self, suite: str) -> None:
        self.directory = cache_dir() / "apt" / suite
        self.sources = self.directory / "sources.list"
        self.stamp = self.directory / "updated"
        with locked(f"apt-{suite}"):
            self.prepare(suite)
            self.update_if_old(suite)

    def prepare(self, suite: str) -> None:
        for name in ("lists/partial", "archives/partial"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        lines = Path("/etc/apt/sources.list").read_text().splitlines(keepends=True)
        self.sources.write_text("".join(line for line in lines if f" {suite} " in line))

    def run(self, program: str, *arguments: str, cwd: Path | None = None) -> str:
        settings = {
            "Dir::Etc::sourcelist": self.sources,
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::lists": self.directory / "lists",
            "Dir::Cache": self.directory,
            "APT::Sandbox::User": "root",
        }
        options = [f"-o{key}={value}" for key, value in settings.items()]
        result = subprocess.run(
            [program, *options, *arguments], cwd=cwd, capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise BedError(f"{program} {' '.join(arguments)} failed: {result.stderr.strip()}")
        return result.stdout

    def update_if_old(self, suite: str) -> None:
        known = self.stamp.exists()
        if known and time.time() - self.stamp.stat().st_mtime < LISTS_AGE_SECONDS:
            return
        try:
            with stage("apt", f"reading the package list of {suite}"):
                self.run("apt-get", "update", "-q", "--error-on=any")
            self.stamp.touch()
        except BedError:
            if not known:
                raise
            print(f"apt: no archive can be reached; the old list of {suite} is used", file=sys.stderr)

    def names(self, prefix: str) -> list[str]:
        return sorted(self.run("apt-cache", "pkgnames", prefix).split())

    def extract(self, package: str, pattern: str, target: Path) -> None:
        """Write the one file of the package that matches the pattern to target."""
        with tempfile.TemporaryDirectory(dir=self.directory) as scratch:
            self.run("apt-get", "download", "-q", package, cwd=Path(scratch))
            (deb,) = Path(scratch).glob("*.deb")
            unpack = f'dpkg-deb --fsys-tarfile "{deb}" | tar -x --wildcards -O "{pattern}" > "{target}"'
            subprocess.run(["sh", "-c", unpack], check=True)
        if not target.stat().st_size:
            raise BedError(f"{package} holds no {pattern}; its layout has changed: see bed/kernels.py")
        os.chmod(target, 0o644)
