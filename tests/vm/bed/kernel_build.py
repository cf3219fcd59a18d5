# SPDX-License-Identifier: GPL-2.0-only
"""Build the small 6.12 kernel from Debian's source package. Runs inside the tree."""

import os
import subprocess
from pathlib import Path

from .cache import CHECKOUT, locked, made_whole
from .errors import BedError
from .kernels import BUILT, Kernel, kernel_dir
from .progress import Stages

FRAGMENT = CHECKOUT / "tests/vm/kernel-6.12.config"

# Installed into the throw-away layer over the tree, so they are gone afterwards.
BUILD_PACKAGES = "bc bison flex libelf-dev make pahole".split()


def build() -> Kernel:
    """The cached kernel, built first if it is missing (some ten minutes on two CPUs)."""
    kernel = Kernel(BUILT, "")
    directory = kernel_dir(BUILT)
    directory.parent.mkdir(exist_ok=True)
    with locked(f"kernel-{BUILT}"):
        if not kernel.cached:
            with made_whole(directory) as unfinished:
                build_in(unfinished, unfinished / "source")
    return kernel


def build_in(result: Path, source: Path) -> None:
    source.mkdir()
    log = result / "build.log"
    stages = Stages("kernels")
    for name, commands in steps(result, source):
        stages.begin(name)
        for command in commands:
            run_logged(command, source, log)
    stages.finish(f"kernel {BUILT} is built")


def run_logged(command: str, cwd: Path, log: Path) -> None:
    with log.open("a") as output:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            ["sh", "-ec", command], cwd=cwd, stdout=output, stderr=output, env=environment, check=False
        )
    if done.returncode:
        tail = "\n  ".join(log.read_text(errors="replace").splitlines()[-15:])
        raise BedError(f"building kernel {BUILT} failed at `{command}`; the last lines:\n  {tail}")


def steps(result: Path, source: Path) -> list[tuple[str, list[str]]]:
    jobs = os.cpu_count()
    archive = source / "source.tar.xz"
    return [
        ("installing build tools", ["apt-get update", f"apt-get install -qy {' '.join(BUILD_PACKAGES)}"]),
        ("fetching the source", [fetch_command(archive), f"tar -x --strip-components=1 -f {archive}"]),
        ("configuring", [
            "make tinyconfig",
            f"scripts/kconfig/merge_config.sh -m .config {FRAGMENT}",
            "make olddefconfig",
            "grep -q ^CONFIG_SCHED_CLASS_EXT=y .config",
        ]),
        (f"compiling with {jobs} jobs", [f"make -j{jobs} bzImage"]),
        ("keeping the result", [
            f"cp arch/x86/boot/bzImage {result}/vmlinuz; cp .config {result}/config",
            f"rm -rf {source}",
        ]),
    ]  # fmt: skip


def fetch_command(archive: Path) -> str:
    return (
        f"cd /tmp; apt-get download -q linux-source-{BUILT}; "
        f"dpkg-deb --fsys-tarfile linux-source-{BUILT}_*.deb | "
        f"tar -x -O --wildcards './usr/src/linux-source-{BUILT}.tar.xz' > {archive}"
    )
