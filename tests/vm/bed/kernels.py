# SPDX-License-Identifier: GPL-2.0-only
"""Kernels with sched_ext: which ones the archive has, which are cached, and what a name means.

Runs inside the tree. From 6.16 to the newest, Debian's kernels have virtio and virtiofs built in,
so vmlinuz is all that is kept."""

import re
from dataclasses import dataclass
from pathlib import Path

from .apt import BACKPORTS, Apt
from .cache import cache_dir, locked, made_whole
from .errors import BedError
from .progress import stage

OLDEST_WITH_SCHED_EXT = (6, 16)

# Built here from source, because Debian's own 6.12 has the class switched off.
BUILT = "6.12"

# Until 6.18 one package holds image and modules; later the image has a small package of its own.
PACKAGE = re.compile(r"^linux-(?:image|binary)-(\d+\.\d+\.\d+)\+deb13-amd64$")


@dataclass
class Kernel:
    version: str
    package: str

    @property
    def image(self) -> Path:
        return kernel_dir(self.version) / "vmlinuz"

    @property
    def cached(self) -> bool:
        return self.image.exists()


def kernel_dir(version: str) -> Path:
    return cache_dir() / "kernels" / version


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def available() -> list[Kernel]:
    """Oldest first: what the archive offers, and what is cached though the archive dropped it."""
    packages: dict[str, str] = {}
    for name in Apt(BACKPORTS).names("linux-"):
        match = PACKAGE.match(name)
        if match and numbers(match[1]) >= OLDEST_WITH_SCHED_EXT:
            # "binary" sorts before "image", and holds the image where both exist.
            packages.setdefault(match[1], name)
    for path in (cache_dir() / "kernels").glob("*/vmlinuz"):
        if numbers_only(path.parent.name):  # not one that is just being made
            packages.setdefault(path.parent.name, "")
    return [Kernel(version, packages[version]) for version in sorted(packages, key=numbers)]


def choose(name: str) -> Kernel:
    """The kernel that a version, the beginning of one, "oldest" or "newest" stands for."""
    kernels = available()
    if name in ("oldest", "newest"):
        kernels = [kernel for kernel in kernels if kernel.version != BUILT]
    elif name:
        kernels = [kernel for kernel in kernels if f"{kernel.version}.".startswith(f"{name}.")]
    if not kernels:
        hint = f"build it with `vm kernels --build {BUILT}`" if name == BUILT else "`vm kernels` lists what there is"
        raise BedError(f"there is no kernel {name}; {hint}")
    return kernels[0 if name == "oldest" else -1]


def image_of(name: str) -> Path:
    """The kernel image for a --kernel argument, fetched if need be."""
    if "/" in name or Path(name).is_file():
        path = Path(name)
        if not path.is_file():
            raise BedError(f"there is no kernel image {path}; give the path of a vmlinuz or bzImage, or a version")
        return path
    if name in ("oldest", "newest") or numbers_only(name):
        return fetch(choose(name)).image
    raise BedError(f"{name} is neither a kernel version, nor oldest or newest, nor the path of a kernel image")


def numbers_only(name: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)*", name) is not None


def fetch(kernel: Kernel) -> Kernel:
    if kernel.cached:
        return kernel
    directory = kernel_dir(kernel.version)
    directory.parent.mkdir(exist_ok=True)
    with locked(f"kernel-{kernel.version}"):
        if not kernel.cached:
            with stage("kernels", f"fetching {kernel.version}"), made_whole(directory) as unfinished:
                Apt(BACKPORTS).extract(kernel.package, "*/vmlinuz*", unfinished / "vmlinuz")
    return kernel
