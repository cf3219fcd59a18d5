# SPDX-License-Identifier: GPL-2.0-only
"""Make the Debian tree: toolbox, build root, test root and the VM's root file system in one."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

from .archive import KEYRINGS, find_archive
from .cache import cache_dir, locked, made_whole
from .errors import BedError
from .packages import APT_OPTIONS, DPKG_OPTIONS, PACKAGES, SUITE
from .progress import Stages

HOST_PACKAGES = ["mmdebstrap", "debian-archive-keyring"]


def recipe() -> list[str]:
    """mmdebstrap's options; all that decides what the tree holds."""
    options = [f"--aptopt={option}" for option in APT_OPTIONS]
    options += [f"--dpkgopt={option}" for option in DPKG_OPTIONS]
    return [*options, "--variant=apt", f"--include={','.join(PACKAGES)}", SUITE]


def tree_path() -> Path:
    digest = hashlib.sha256(json.dumps(recipe()).encode()).hexdigest()
    return cache_dir() / f"tree-{digest[:10]}"


def host_is_debian() -> bool:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return False
    return any(line.strip() in ("ID=debian", 'ID="debian"') for line in lines)


def need_host_packages() -> None:
    """Have mmdebstrap and the archive's keys: install them on Debian, elsewhere say what to do."""
    if shutil.which("mmdebstrap") and any(path.exists() for path in KEYRINGS):
        return
    command = f"apt-get install {' '.join(HOST_PACKAGES)}"
    if not host_is_debian():
        raise BedError(f"mmdebstrap and Debian's archive keys are needed: install {' and '.join(HOST_PACKAGES)}")
    if os.geteuid() != 0 or in_user_namespace():
        raise BedError(f"mmdebstrap and Debian's archive keys are needed: run `{command}` as root")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in ("apt-get update -q", f"{command} -qy --no-install-recommends"):
        if subprocess.run(step.split(), env=environment, stdout=2, check=False).returncode:
            raise BedError(f"`{step}` failed; see above, and run it by hand")


def in_user_namespace() -> bool:
    return Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]


def ensure_tree() -> Path:
    """The path of the tree, made first if it is missing."""
    path = tree_path()
    if path.exists():
        return path
    with locked(path.name) as lock:
        if not path.exists():
            need_host_packages()
            make_tree(path, lock)
    return path


def make_tree(path: Path, lock: int) -> None:
    sources = find_archive().tree_sources()
    stages = Stages("tree")
    with made_whole(path) as unfinished:
        command = ["mmdebstrap", "--mode=root", *recipe(), str(unfinished), "-"]
        run_mmdebstrap(command, sources, lock, stages)
    stages.finish(f"{path} is ready")


def run_mmdebstrap(command: list[str], sources: str, lock: int, stages: Stages) -> None:
    """Run it in a process group of its own, so that it can be stopped whole. It keeps the lock:
    if we are killed, the next caller waits until it has ended."""
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, pass_fds=[lock], start_new_session=True,
    )  # fmt: skip
    try:
        child.stdin.write(sources)
        child.stdin.close()
        tail = follow(child, stages)
        if child.wait():
            raise BedError("mmdebstrap failed; its last lines:\n  " + "\n  ".join(tail))
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)
            child.wait()


def follow(child: subprocess.Popen, stages: Stages) -> list[str]:
    """Show mmdebstrap's steps ("I: ..." lines); return the last lines of everything else."""
    tail: list[str] = []
    for line in child.stdout:
        line = line.rstrip()
        if line.startswith("I: ") and line.endswith("..."):
            stages.begin(line[3:-3])
        elif line:
            tail = [*tail[-19:], line]
    return tail
