# SPDX-License-Identifier: GPL-2.0-only
"""Configure, compile, install into a folder."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .inside import CHECKOUT


class BuildError(Exception):
    """The build failed; its output has been shown."""


@dataclass(frozen=True)
class Build:
    name: str  # folder in the checkout
    options: tuple[str, ...] = ()
    compiler: str = "gcc"

    @property
    def path(self) -> Path:
        return CHECKOUT / self.name

    def make(self) -> None:
        environment = {**os.environ, "CC": self.compiler}
        if not (self.path / "build.ninja").exists():
            shutil.rmtree(self.path / "meson-private", ignore_errors=True)
            command = ["meson", "setup", "--prefix=/usr", "--werror", *self.options, str(self.path), str(CHECKOUT)]
            quietly(command, environment)
        quietly(["ninja", "-C", str(self.path)], environment)

    def install(self) -> Path:
        """The files as a package would have them."""
        root = self.path / "vm-root"
        shutil.rmtree(root, ignore_errors=True)
        quietly(["meson", "install", "-C", str(self.path), "--no-rebuild", "--destdir", str(root)])
        return root


DEFAULT = Build("build")
SANITIZED = Build("build-sanitize", ("-Db_sanitize=address,undefined", "-Db_lundef=false"), "clang-19")
WITHOUT_BPF = Build("build-nobpf", ("-Dbpf=disabled",))


def quietly(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(done.stdout)
        raise BuildError(f"{' '.join(command[:2])} failed")
